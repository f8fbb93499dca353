import { formatCitation } from '../memory/search/citation.js';
import type { SearchResult } from '../memory/search/types.js';
import { harmlessLine } from './block.js';
import { clipWords } from './clean-text.js';
import { type Piece, piecesOf } from './pieces.js';
import type { StyleRules } from './prompt-style.js';

/** A note that something was recalled from. */
export type RecalledSource = Pick<
  SearchResult,
  'endLine' | 'path' | 'score' | 'source' | 'startLine'
>;

/** What was selected, and from where. */
export interface Selection {
  /** Lines of `- text (citation)`; empty when nothing was good enough. */
  readonly summary: string;
  readonly sources: readonly RecalledSource[];
}

/** How results are selected. */
export interface SelectOptions {
  readonly rules: StyleRules;
  /** Length of the summary, in UTF-16 units. */
  readonly maxChars: number;
  /** Whether each line names its source. */
  readonly cites: boolean;
}

/** The first note holds the answer most often, and gets this much of the room beside others. */
const FIRST_SHARE = 0.6;
/** Less of a note says nothing. */
const MIN_TEXT = 24;

/** The results that are good enough for a style; one for each source, best first. */
export function eligible(
  results: readonly SearchResult[],
  { minScore, minShare, maxNotes }: StyleRules,
): readonly SearchResult[] {
  const best = results[0]?.score ?? 0;
  const paths = new Set<string>();
  return results
    .filter(({ score }) => score >= Math.max(minScore, minShare * best))
    .filter(({ source, path }) => {
      const key = `${source}:${path}`;
      if (paths.has(key)) return false;
      paths.add(key);
      return true;
    })
    .slice(0, maxNotes);
}

/**
 * Trims results to what fits, without a model: of each note the sentences that hold most of the
 * question, with their neighbours where there is room. The same results always give the same text.
 *
 * @param results as {@link eligible} gives them
 */
export function selectNotes(results: readonly SearchResult[], options: SelectOptions): Selection {
  const lines: string[] = [];
  const sources: RecalledSource[] = [];
  const texts: string[] = [];
  let left = options.maxChars;
  for (const [position, result] of results.entries()) {
    const isFirstOfSome = position === 0 && results.length > 1;
    const room = isFirstOfSome ? Math.max(Math.floor(left * FIRST_SHARE), MIN_ROOM) : left;
    const tail = citationTail(result, options, room);
    const text = bestText(result, room - MARK.length - tail.length, options.rules);
    if (text === undefined || texts.some((other) => isRepeated(text, other))) continue;
    const line = `${MARK}${text}${tail}`;
    texts.push(text);
    lines.push(line);
    const { path, source, startLine, endLine, score } = result;
    sources.push({ path, source, startLine, endLine, score });
    left -= line.length + 1;
  }
  return { summary: lines.join('\n'), sources };
}

const MARK = '- ';
/** The smallest `maxSummaryChars`. */
const MIN_ROOM = 40;

/** The source at the end of a line; nothing where it would leave the text too little room. */
function citationTail(result: SearchResult, { cites }: SelectOptions, room: number): string {
  const tail = cites ? ` (${harmlessLine(formatCitation(result.path, result))})` : '';
  const left = room - MARK.length - tail.length;
  return left < Math.max(MIN_TEXT, tail.length) ? '' : tail;
}

function isRepeated(text: string, other: string): boolean {
  const [a, b] = [text.toLowerCase(), other.toLowerCase()];
  return a.includes(b) || b.includes(a);
}

/** Likes, habits and lasting facts, in the words in which English notes put them. */
const PREFERENCE =
  /\b(?:prefer\w*|favou?rit\w*|lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy\w*|hat(?:e|es|ed)|dislik\w*|always|never|usual\w*|every|habit\w*|routine\w*|allergi\w*|birthday|vegan|vegetarian|tastes?|wants?|avoids?)\b/iu;

/** The best sentence of a note and what fits around it; undefined when too little does. */
function bestText(
  result: SearchResult,
  room: number,
  { preferencesOnly }: StyleRules,
): string | undefined {
  if (room < MIN_TEXT) return undefined;
  const all = piecesOf(result.snippet, result.highlights);
  const pieces = preferencesOnly ? all.filter(({ text }) => PREFERENCE.test(text)) : all;
  const best = pieces.reduce<Piece | undefined>(
    (found, piece) => (found === undefined || piece.hits > found.hits ? piece : found),
    undefined,
  );
  if (best === undefined) return undefined;
  const text = withNeighbours(pieces, pieces.indexOf(best), room);
  const titled = withTitle(text, result.headingPath.at(-1), room);
  return clipWords(titled, room);
}

/** What follows a sentence explains it more often than what stands before it. */
function withNeighbours(pieces: readonly Piece[], at: number, room: number): string {
  let [from, to] = [at, at];
  const join = (first: number, last: number): string =>
    pieces
      .slice(first, last + 1)
      .map(({ text }) => text)
      .join(' ');
  for (;;) {
    if (to + 1 < pieces.length && join(from, to + 1).length <= room) to += 1;
    else if (from > 0 && join(from - 1, to).length <= room) from -= 1;
    else return join(from, to);
  }
}

/** A line of a list often means nothing without its heading. */
function withTitle(text: string, heading: string | undefined, room: number): string {
  const title = harmlessLine(heading ?? '');
  if (title === '' || text.toLowerCase().includes(title.toLowerCase())) return text;
  const titled = `${title}: ${text}`;
  return titled.length <= room ? titled : text;
}
