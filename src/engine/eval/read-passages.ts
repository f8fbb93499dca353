import { CodeFences } from '../support/code-fences.js';
import type { FileLines } from './ask-memory.js';

/** A sentence and its lines (1-based, inclusive). */
interface Sentence {
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** The text under one heading, up to the next. */
export interface Passage {
  readonly path: string;
  /** Titles from the outermost to its own; empty before the first heading. */
  readonly heading: readonly string[];
  readonly startLine: number;
  readonly endLine: number;
  readonly sentences: readonly Sentence[];
}

const HEADING = /^(?<marks>#{1,6})\s+(?<title>\S.*)$/u;
const CLOSING_MARKS = /(?<!#)#+$/u;
/** Table rows, HTML, link definitions and rules: nothing to ask about. */
const NO_PROSE = /^\s*(?:\||<|\[[^\]]*\]:|---+\s*$|\*\*\*+\s*$)/u;
const LIST_MARK = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/u;
const SENTENCE_END = /(?<=[.!?…])\s+(?=[\p{Lu}\p{N}"“])/u;

/** The passages and sentences of a Markdown file, without code and tables. */
export function passagesOfFile(path: string, lines: NonNullable<FileLines>): Passage[] {
  const passages: Passage[] = [];
  let open: { heading: string[]; startLine: number; sentences: Sentence[] } | undefined;
  let last = 0;
  const fences = new CodeFences();
  let above: { level: number; title: string }[] = [];
  const close = (): void => {
    if (open !== undefined && open.sentences.length > 0) {
      passages.push({ path, ...open, endLine: last });
    }
  };
  for (const [line, text] of lines) {
    const isCode = fences.isCode(text);
    const groups = isCode ? undefined : HEADING.exec(text)?.groups;
    if (groups !== undefined) {
      close();
      const level = groups['marks']?.length ?? 1;
      const kept = above.filter((heading) => heading.level < level);
      above = [
        ...kept,
        { level, title: plain((groups['title'] ?? '').replace(CLOSING_MARKS, '')) },
      ];
      open = { heading: above.map(({ title }) => title), startLine: line, sentences: [] };
      last = line;
      continue;
    }
    if (text.trim() === '') continue;
    open ??= { heading: [], startLine: line, sentences: [] };
    last = line;
    if (isCode || NO_PROSE.test(text)) continue;
    for (const part of plain(text.replace(LIST_MARK, '')).split(SENTENCE_END)) {
      open.sentences.push({ text: part.trim(), startLine: line, endLine: line });
    }
  }
  close();
  return passages;
}

/** Removes Markdown marks. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]{0,300})\]\([^)]{0,500}\)/gu, '$1')
    .replaceAll(/[*_`~]+/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
