import { isHeading, type PassageLine } from './passages.js';
import { sum, termsWeight } from './rank.js';
import { mergeSpans, type TermMatcher } from './term-matcher.js';
import type { TextSpan } from './words.js';

/** How the lines of a passage are weighed. */
interface LineWeighing {
  readonly matcher: TermMatcher;
  /** For each query term: its weight. */
  readonly lineWeights: readonly number[];
  /** Whether a line is from the days that the query asks about. */
  readonly isOfDays?: (line: PassageLine) => boolean;
}

/** The value of a line of these days, as a share of the weight of all terms. */
const LINE_OF_DAYS = 0.6;
/** The value of preceding lines counts partly for a line, because answers follow questions. */
const LINE_BEFORE = 0.5;
const SECOND_LINE_BEFORE = 0.25;
const ELLIPSIS = '…';
/** Longer stretches between two shown lines become a gap. */
const MAX_WORDLESS_CHARACTERS = 16;
/** Context kept before the first hit in a truncated line. */
const LEAD_CHARACTERS = 40;

/**
 * Character budget of the result at `position`: about `average` over ten results, more for the first ones, which
 * contain the answer far more often.
 */
export function snippetBudget(position: number, average: number): number {
  return Math.round(Math.max(0.525, 2.25 * 0.8 ** position) * average);
}

/**
 * The whole passage if it fits, else its best lines in document order, with a line `…` for gaps.
 *
 * @param budget in UTF-16 units; only gap markers may exceed it
 */
export function snippetOf(
  lines: readonly PassageLine[],
  { matcher, lineWeights, isOfDays = () => false }: LineWeighing,
  budget: number,
) {
  const dayWeight = LINE_OF_DAYS * (sum(lineWeights) || 1);
  const weights = lines.map((line) => {
    const ofDays = line.hasWords && isOfDays(line) ? dayWeight : 0;
    return termsWeight(line.terms, lineWeights) + ofDays;
  });
  const shown = chooseLines(lines, weights, budget);
  const first = lines[shown[0] ?? -1];
  if (first === undefined) {
    const none = { text: '', highlights: [], bestLine: undefined };
    return { ...none, line: lines[0]?.number ?? 1, headingPath: commonPath(lines) };
  }
  const text =
    shown.length === 1 && first.text.length > budget
      ? clipLine(first.text, lineWeights, matcher, budget)
      : joinLines(shown, lines);
  const best = bestLineOf(
    shown.map((at) => ({ text: lines[at]?.text ?? '', weight: weights[at] ?? 0 })),
  );
  const headingPath = lines[shown[best ?? -1] ?? -1]?.headingPath ?? commonPath(lines);
  return {
    text,
    /** 1-based number of the first line shown. */
    line: first.number,
    /** Positions of query words in `text`. */
    highlights: highlightsOf(text, matcher),
    /** The headings above its best line; without one, those above all lines of the passage. */
    headingPath,
    /** The position of its best line among those of `text`; undefined without one. */
    bestLine:
      best === undefined
        ? undefined
        : joinLines(shown.slice(0, best + 1), lines).split('\n').length - 1,
  };
}

/**
 * The position of the line with the greatest weight of query words; if only headings have some, of the line below the best
 * of these. Undefined if no line has any.
 */
export function bestLineOf(
  lines: readonly { readonly text: string; readonly weight: number }[],
): number | undefined {
  const heaviest = (isCounted: (text: string) => boolean): number | undefined => {
    const weights = lines.map(({ text, weight }) => (isCounted(text) ? weight : 0));
    const most = Math.max(0, ...weights);
    return most === 0 ? undefined : weights.indexOf(most);
  };
  const best = heaviest((text) => !isHeading(text));
  const heading = best === undefined ? heaviest(isHeading) : undefined;
  if (heading === undefined) return best;
  const below = lines.findIndex(({ text }, at) => at > heading && text.trim() !== '');
  return below === -1 || isHeading(lines[below]?.text ?? '') ? heading : below;
}

/** The headings that all other lines share. */
function commonPath(lines: readonly PassageLine[]): readonly string[] {
  const content = lines.filter(({ hasWords, headingAt }, at) => hasWords && headingAt !== at);
  const paths = (content.length === 0 ? lines : content).map(({ headingPath }) => headingPath);
  const [first = [], ...others] = new Set(paths);
  const end = first.findIndex((title, at) => others.some((path) => path[at] !== title));
  return end === -1 ? first : first.slice(0, end);
}

/** Positions of query words in a text. Line by line, because the matcher rejects most lines quickly. */
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

/** The indexes of the lines to show, ascending. */
function chooseLines(
  lines: readonly PassageLine[],
  weights: readonly number[],
  budget: number,
): readonly number[] {
  const length = lines.reduce((total, line) => total + line.text.length + 1, -1);
  if (length <= budget) return lines.map((_, index) => index);
  const value = (index: number): number =>
    (weights[index] ?? 0) +
    LINE_BEFORE * (weights[index - 1] ?? 0) +
    SECOND_LINE_BEFORE * (weights[index - 2] ?? 0);
  const order = lines
    .map((line, index) => ({ line, index, value: value(index) }))
    .filter(({ line }) => line.hasWords)
    .sort((a, b) => b.value - a.value || a.index - b.index);
  const chosen: number[] = [];
  let left = budget;
  const costOf = (some: readonly number[]): number =>
    some.reduce((total, index) => total + (lines[index]?.text.length ?? 0) + 2, 0);
  for (const { line, index } of order) {
    if (chosen.includes(index)) continue;
    // Without its heading, a line would seem to belong to a heading that is shown further up.
    const heading = line.headingAt ?? index;
    const whole = heading === index || chosen.includes(heading) ? [index] : [heading, index];
    const fitting = [whole, [index]].find((some) => costOf(some) <= left);
    if (fitting !== undefined) {
      chosen.push(...fitting);
      left -= costOf(fitting);
    } else if (chosen.length === 0) {
      return [index];
    }
  }
  return chosen.sort((a, b) => a - b);
}

function joinLines(shown: readonly number[], all: readonly PassageLine[]): string {
  let text = '';
  let previous: number | undefined;
  for (const index of shown) {
    if (previous !== undefined) text += gapBetween(previous, index, all);
    text += all[index]?.text ?? '';
    previous = index;
  }
  return text;
}

/** Shows blank lines, rules and fences between two shown lines; anything else becomes a gap. */
function gapBetween(from: number, to: number, all: readonly PassageLine[]): string {
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

/** The part of a long line with the most query terms. */
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
    const weight = termsWeight([...new Set(within.map((other) => other.term))], lineWeights);
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

/** The same index, or the one before if it would split a surrogate pair. */
function wholeCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
