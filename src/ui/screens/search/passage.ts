import type { SearchResult, TextSpan } from '../../../engine/memory/search/index.js';
import { CodeFences } from '../../../engine/support/code-fences.js';
import { wrapSpans } from '../../fit.js';
import { markLine } from '../../marked-text.js';
import type { Paint, Style } from '../../style.js';
import type { PassageText, ResultItem } from './state.js';

interface RowOptions {
  readonly columns: number;
  readonly height: number;
  readonly style: Style;
  /** The words to mark, in lower case. */
  readonly words: readonly string[];
  /** The match that was jumped to. */
  readonly currentMatch: number | undefined;
}

const NUMBER_COLUMNS = 5;
const GAP = 2;
/** The rest of a longer line is not shown. */
const MOST_CHARS = 20_000;
const MOST_WORDS = 64;

/**
 * The lines with numbers, wrapped, with Markdown and matches highlighted.
 *
 * @returns the rows, the row of each match, and the row to begin with, so that the passage and its best lines are visible
 */
export function passageRows(
  { text, startLine, lineNumbers }: PassageText,
  { result }: ResultItem,
  options: RowOptions,
) {
  const { columns, height, style } = options;
  const room = Math.max(1, columns - NUMBER_COLUMNS - GAP);
  const lines = text.split('\n').map((line) => {
    return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line;
  });
  const markdown = markdownSpans(lines);
  const pattern = wordPattern(options.words);
  const rows: string[] = [];
  const matches: number[] = [];
  let passage = 0;
  let best = 0;
  const bestNumber = matchedLine(result);
  for (const [at, line] of lines.entries()) {
    const number = lineNumbers?.[at] ?? startLine + at;
    const isInside = number >= result.startLine && number <= result.endLine;
    if (number <= result.startLine) passage = rows.length;
    if (number <= bestNumber) best = rows.length;
    const found = pattern === undefined ? [] : spansOf(line, pattern);
    const isCurrent = (match: number): boolean => matches.length + match === options.currentMatch;
    const parts = partsOf(line, markdown[at] ?? [], found, { style, isInside, isCurrent });
    const painted = paintedRows(line, parts, room);
    for (const span of found) {
      const row = painted.findLastIndex(({ start }) => start <= span.start);
      matches.push(rows.length + Math.max(0, row));
    }
    for (const [row, { text }] of painted.entries()) {
      const gutter = row === 0 ? String(number) : '';
      rows.push(`${style.dim(gutter.padStart(NUMBER_COLUMNS))}${' '.repeat(GAP)}${text}`.trimEnd());
    }
  }
  // If the best lines would not be visible, they are in the upper part.
  const first = best - passage < height / 2 ? passage : best - Math.floor(height / 4);
  return { rows, first, matches };
}

/** The number of the line that matches best, or of the first match. */
export function matchedLine(result: SearchResult): number {
  const { kind, snippet, snippetLine, highlights } = result;
  const toFirst = snippet.slice(0, highlights[0]?.start ?? 0).split('\n').length - 1;
  const to = result.bestLine ?? toFirst;
  // Lines of a conversation are not consecutive, and a snippet can have gaps.
  const isCounted = kind !== 'transcript' && !snippet.split('\n').slice(0, to).includes('…');
  return isCounted ? snippetLine + to : snippetLine;
}

const CJK = /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul}/u;

/** Finds any of the words as a whole word, or anywhere in scripts without spaces. */
function wordPattern(words: readonly string[]): RegExp | undefined {
  const longestFirst = words
    .filter((word) => word.trim() !== '')
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MOST_WORDS);
  const anyOf = (some: readonly string[]): string =>
    some.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')).join('|');
  const whole = longestFirst.filter((word) => !CJK.test(word));
  const others = longestFirst.filter((word) => CJK.test(word));
  // One boundary check for all words instead of one for each: long documents have many places to check.
  const patterns = [
    ...(whole.length === 0 ? [] : [`(?<!${LETTER})(?:${anyOf(whole)})(?!${LETTER})`]),
    ...(others.length === 0 ? [] : [anyOf(others)]),
  ];
  return patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'giu');
}

const LETTER = '[\\p{L}\\p{N}\\p{M}]';

function spansOf(line: string, pattern: RegExp): readonly TextSpan[] {
  return Array.from(line.matchAll(pattern), ({ 0: text, index }) => {
    return { start: index, end: index + text.length };
  });
}

interface Part extends TextSpan {
  readonly paint: Paint;
}

/** Splits a line into parts that are painted differently. */
function partsOf(
  line: string,
  markdown: readonly MarkdownSpan[],
  matches: readonly TextSpan[],
  options: {
    readonly style: Style;
    readonly isInside: boolean;
    readonly isCurrent: (match: number) => boolean;
  },
): readonly Part[] {
  const { style, isInside, isCurrent } = options;
  const ends = [...markdown, ...matches].flatMap(({ start, end }) => [start, end]);
  const cuts = [...new Set([0, ...ends, line.length])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, at) => {
    const end = cuts[at + 1] ?? line.length;
    const contains = (span: TextSpan): boolean => span.start <= start && span.end >= end;
    const kind = markdown.find(contains)?.kind;
    const match = matches.findIndex(contains);
    const paint = (text: string): string => {
      const plain = isInside || match !== -1 ? text : style.dim(text);
      const marked = kind === undefined ? plain : style[MARKDOWN_PAINTS[kind]](plain);
      if (match === -1) return marked;
      return isCurrent(match) ? style.selection(marked) : style.match(marked);
    };
    return { start, end, paint };
  });
}

const MARKDOWN_PAINTS = {
  heading: 'bold',
  strong: 'bold',
  code: 'ok',
  link: 'accent',
} as const satisfies Record<MarkdownSpan['kind'], keyof Style>;

/** A line wrapped, safe and painted; `start` counts in the original line. */
function paintedRows(line: string, parts: readonly Part[], columns: number) {
  // Making text safe lengthens it; the marks say where each part is then.
  const { text, marks } = markLine(line, parts);
  return wrapSpans(text, columns).map((row) => {
    let paintedText = '';
    let start: number | undefined;
    for (const [at, mark] of marks.entries()) {
      const from = Math.max(mark.start, row.start);
      const to = Math.min(mark.end, row.end);
      if (from >= to) continue;
      start ??= (parts[at]?.start ?? 0) + (from - mark.start);
      paintedText += parts[at]?.paint(text.slice(from, to)) ?? '';
    }
    return { start: start ?? 0, text: paintedText };
  });
}

/** A part of a line of Markdown that has its own look. */
interface MarkdownSpan extends TextSpan {
  readonly kind: 'code' | 'heading' | 'link' | 'strong';
}

const HEADING = /^#{1,6}\s/u;
/** Code, links, URLs and bold text; what is inside of one is not matched again. */
const INLINE =
  /(?<code>`[^`]+`)|(?<link>\[\[[^\]]{1,500}\]\]|\[[^\]]{1,500}\]\([^)\s]{1,2000}\)|https?:\/\/[^\s<>)\]]+)|(?<strong>\*\*[^*]{1,500}\*\*|__[^_]{1,500}__)/gu;

/** The headings, code, links and bold parts of consecutive lines; other Markdown is left as it is. */
export function markdownSpans(lines: readonly string[]): readonly (readonly MarkdownSpan[])[] {
  const fences = new CodeFences();
  return lines.map((line) => {
    const whole = { start: 0, end: line.length };
    if (fences.isCode(line)) return [{ ...whole, kind: 'code' }];
    if (HEADING.test(line)) return [{ ...whole, kind: 'heading' }];
    return Array.from(line.matchAll(INLINE), ({ 0: text, index, groups }): MarkdownSpan => {
      const kind =
        groups?.['code'] !== undefined
          ? 'code'
          : groups?.['link'] !== undefined
            ? 'link'
            : 'strong';
      return { start: index, end: index + text.length, kind };
    });
  });
}
