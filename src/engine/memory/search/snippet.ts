import type { NumberedLine } from './passages.js';
import { weigh } from './rank.js';
import { mergeSpans, type TermMatcher } from './term-matcher.js';
import type { TextSpan } from './types.js';

/** The part of a passage that is shown. */
export interface Snippet {
  readonly text: string;
  /** 1-based number of the first line shown. */
  readonly line: number;
  /** Where query words stand in `text`. */
  readonly highlights: readonly TextSpan[];
}

/** A line is worth part of what the one or two before it are: answers follow questions. */
const LINE_BEFORE = 0.5;
const SECOND_LINE_BEFORE = 0.25;
const ELLIPSIS = '…';
/** More than this between two shown lines is a gap, whatever it is made of. */
const MAX_WORDLESS_CHARACTERS = 16;
/** What is kept before the first hit in a line that has to be cut. */
const LEAD_CHARACTERS = 40;

/**
 * How many characters the result at `position` may show: the first ones more, later ones less, about
 * `average` each over ten results. The first results hold the answer far more often.
 *
 * @param position 0-based
 */
export function snippetBudget(position: number, average: number): number {
  return Math.round(Math.max(0.525, 2.25 * 0.8 ** position) * average);
}

/**
 * The whole passage where it fits, else its best lines in document order, with a line `…` for what
 * was left out between them.
 *
 * @param budget in UTF-16 units; only the ellipses and what stands for a gap may go beyond it
 */
export function snippetOf(
  lines: readonly NumberedLine[],
  lineWeights: readonly number[],
  matcher: TermMatcher,
  budget: number,
): Snippet {
  const shown = chooseLines(lines, lineWeights, budget);
  const first = lines[shown[0] ?? -1];
  if (first === undefined) return { text: '', line: lines[0]?.number ?? 1, highlights: [] };
  const text =
    shown.length === 1 && first.text.length > budget
      ? clipLine(first.text, lineWeights, matcher, budget)
      : joinLines(shown, lines);
  return { text, line: first.number, highlights: highlightsOf(text, matcher) };
}

/** Where query words stand in a text. Line by line: most lines hold none, and the matcher sees that at a glance. */
export function highlightsOf(text: string, matcher: TermMatcher): TextSpan[] {
  const spans: TextSpan[] = [];
  let offset = 0;
  for (const line of text.split('\n')) {
    for (const { start, end } of matcher(line).hits) {
      spans.push({ start: start + offset, end: end + offset });
    }
    offset += line.length + 1;
  }
  return mergeSpans(spans);
}

/** The positions of the lines to show, ascending. */
function chooseLines(
  lines: readonly NumberedLine[],
  lineWeights: readonly number[],
  budget: number,
): readonly number[] {
  const length = lines.reduce((total, line) => total + line.text.length + 1, -1);
  if (length <= budget) return lines.map((_, index) => index);
  const own = lines.map((line) => weigh(line.terms, lineWeights));
  const value = (index: number): number =>
    (own[index] ?? 0) +
    LINE_BEFORE * (own[index - 1] ?? 0) +
    SECOND_LINE_BEFORE * (own[index - 2] ?? 0);
  const order = lines
    .map((line, index) => ({ line, index, value: value(index) }))
    .filter(({ line }) => line.hasWords)
    .sort((a, b) => b.value - a.value || a.index - b.index);
  const chosen: number[] = [];
  let left = budget;
  for (const { line, index } of order) {
    const cost = line.text.length + 2;
    if (cost <= left) {
      chosen.push(index);
      left -= cost;
    } else if (chosen.length === 0) {
      return [index];
    }
  }
  return chosen.sort((a, b) => a - b);
}

function joinLines(shown: readonly number[], all: readonly NumberedLine[]): string {
  let text = '';
  let previous: number | undefined;
  for (const index of shown) {
    if (previous !== undefined) text += gapBetween(previous, index, all);
    text += all[index]?.text ?? '';
    previous = index;
  }
  return text;
}

/** Blank lines, rules and fences between two shown lines are shown too; anything else is a gap. */
function gapBetween(from: number, to: number, all: readonly NumberedLine[]): string {
  let between = '\n';
  for (let index = from + 1; index < to; index++) {
    const line = all[index];
    between += `${line?.text ?? ''}\n`;
    if (line?.hasWords !== false || between.length > MAX_WORDLESS_CHARACTERS) {
      return `\n${ELLIPSIS}\n`;
    }
  }
  return between;
}

/** The stretch of a long line that holds the most of the query. */
function clipLine(
  text: string,
  lineWeights: readonly number[],
  matcher: TermMatcher,
  budget: number,
): string {
  const { hits } = matcher(text);
  const width = Math.max(1, budget - 2);
  let start = 0;
  let bestWeight = -1;
  for (const hit of hits) {
    const within = hits.filter(
      (other) => other.start >= hit.start && other.end <= hit.start + width - LEAD_CHARACTERS,
    );
    const weight = weigh([...new Set(within.map((other) => other.term))], lineWeights);
    if (weight > bestWeight) {
      bestWeight = weight;
      start = hit.start;
    }
  }
  const from = wholeCharacter(
    text,
    Math.max(0, Math.min(start - LEAD_CHARACTERS, text.length - width)),
  );
  const to = wholeCharacter(text, Math.min(text.length, from + width));
  return `${from > 0 ? ELLIPSIS : ''}${text.slice(from, to)}${to < text.length ? ELLIPSIS : ''}`;
}

/** The same index, or the one before it when it would cut a surrogate pair apart. */
function wholeCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
