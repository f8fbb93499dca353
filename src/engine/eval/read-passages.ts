import type { FileLines } from './file-lines.js';

/** A sentence, with its lines (1-based, both included). */
export interface Sentence {
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** What stands under one heading, up to the next. */
export interface Passage {
  readonly path: string;
  /** Titles from the outermost to its own; empty before the first heading. */
  readonly heading: readonly string[];
  readonly startLine: number;
  readonly endLine: number;
  readonly sentences: readonly Sentence[];
}

const HEADING = /^(?<marks>#{1,6})\s+(?<title>.+?)\s*#*$/u;
const FENCE = /^\s*(?:```|~~~)/u;
/** Rows of tables, quotations of code, links on their own: nothing a person would ask for. */
const NO_PROSE = /^\s*(?:\||<|\[[^\]]*\]:|---+\s*$|\*\*\*+\s*$)/u;
const LIST_MARK = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/u;
const SENTENCE_END = /(?<=[.!?…])\s+(?=[\p{Lu}\p{N}"“])/u;

/** Reads the passages and sentences of a Markdown file, code and tables left out. */
export function passagesOfFile(path: string, lines: NonNullable<FileLines>): Passage[] {
  const passages: Passage[] = [];
  let open: { heading: string[]; startLine: number; sentences: Sentence[] } | undefined;
  let last = 0;
  let fenced = false;
  let above: { level: number; title: string }[] = [];
  const close = (): void => {
    if (open !== undefined && open.sentences.length > 0) {
      passages.push({ path, ...open, endLine: last });
    }
  };
  for (const [line, text] of lines) {
    if (FENCE.test(text)) fenced = !fenced;
    const groups = fenced ? undefined : HEADING.exec(text)?.groups;
    if (groups !== undefined) {
      close();
      const level = groups['marks']?.length ?? 1;
      const kept = above.filter((heading) => heading.level < level);
      above = [...kept, { level, title: plain(groups['title'] ?? '') }];
      open = { heading: above.map(({ title }) => title), startLine: line, sentences: [] };
      last = line;
      continue;
    }
    if (text.trim() === '') continue;
    open ??= { heading: [], startLine: line, sentences: [] };
    last = line;
    if (fenced || FENCE.test(text) || NO_PROSE.test(text)) continue;
    for (const part of plain(text.replace(LIST_MARK, '')).split(SENTENCE_END)) {
      open.sentences.push({ text: part.trim(), startLine: line, endLine: line });
    }
  }
  close();
  return passages;
}

/** A text without the marks of Markdown. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replaceAll(/[*_`~]+/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
