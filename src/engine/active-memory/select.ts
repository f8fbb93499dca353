import { formatCitation } from '../memory/search/citation.js';
import type { SearchResult } from '../memory/search/types.js';
import { harmlessLine } from './block.js';
import { clipWords } from './clean-text.js';
import { type Piece, piecesOf, pieceWeights } from './pieces.js';
import type { StyleRules } from './prompt-style.js';
import { bearsOn, topicsOf } from './relevance.js';

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

/**
 * The results that are good enough for a style; one for each source, best first. A picture or a
 * recording has no words to recall.
 *
 * @param query what was asked
 */
export function eligible(
  results: readonly SearchResult[],
  query: string,
  rules: StyleRules,
): readonly SearchResult[] {
  const best = results[0]?.score ?? 0;
  const asked = topicsOf(query);
  const paths = new Set<string>();
  return results
    .filter(({ kind }) => kind !== 'media')
    .filter((result) => result.score >= rules.minShare * best && bearsOn(result, asked, rules))
    .filter(({ source, path }) => {
      const key = `${source}:${path}`;
      if (paths.has(key)) return false;
      paths.add(key);
      return true;
    })
    .slice(0, rules.maxNotes);
}

/**
 * Trims results to what fits, without a model: of each note the sentence that holds most of the
 * question, with its neighbours where there is room. The same results always give the same text.
 *
 * @param results as {@link eligible} gives them
 */
export function selectNotes(results: readonly SearchResult[], options: SelectOptions): Selection {
  const chosen = candidatesOf(results, options.rules);
  const lines: string[] = [];
  const sources: RecalledSource[] = [];
  const texts: string[] = [];
  let left = options.maxChars;
  for (const [position, { result, pieces, best }] of chosen.entries()) {
    const isFirstOfSome = position === 0 && chosen.length > 1;
    const room = isFirstOfSome ? Math.max(Math.floor(left * FIRST_SHARE), MIN_ROOM) : left;
    const tail = citationTail(result, options, room);
    const textRoom = room - MARK.length - tail.length;
    if (textRoom < MIN_TEXT) break;
    const heading = pieces[best]?.heading ?? result.headingPath.at(-1);
    const text = textAround(pieces, best, heading, textRoom);
    if (texts.some((other) => isRepeated(text, other))) continue;
    const line = `${MARK}${text}${tail}`;
    texts.push(text);
    lines.push(line);
    const { path, source, startLine, endLine, score } = result;
    sources.push({ path, source, startLine, endLine, score });
    left -= line.length + 1;
  }
  return { summary: lines.join('\n'), sources };
}

interface Candidate {
  readonly result: SearchResult;
  readonly pieces: readonly Piece[];
  /** Position of the piece that holds most of the question. */
  readonly best: number;
  readonly weight: number;
}

/** Notes whose best sentence says much less than that of another take its room for nothing. */
const MIN_WEIGHT_SHARE = 0.6;

function candidatesOf(
  results: readonly SearchResult[],
  { preferencesOnly }: StyleRules,
): readonly Candidate[] {
  const found = results.map((result) => {
    const pieces = piecesOf(result.snippet, result.highlights);
    const kept = preferencesOnly ? pieces.filter(({ text }) => PREFERENCE.test(text)) : pieces;
    return { result, pieces: kept };
  });
  const weightOf = pieceWeights(found.flatMap(({ pieces }) => pieces));
  const candidates = found.flatMap(({ result, pieces }): Candidate[] => {
    const weights = pieces.map(weightOf);
    const weight = Math.max(...weights);
    return pieces.length === 0 ? [] : [{ result, pieces, best: weights.indexOf(weight), weight }];
  });
  const most = Math.max(...candidates.map(({ weight }) => weight));
  return candidates.filter(({ weight }) => weight >= MIN_WEIGHT_SHARE * most);
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

/** The best sentence of a note and what fits around it. */
function textAround(
  pieces: readonly Piece[],
  best: number,
  heading: string | undefined,
  room: number,
): string {
  return clipWords(withTitle(withNeighbours(pieces, best, room), heading, room), room);
}

/** What follows a sentence explains it more often than what stands before it. */
function withNeighbours(pieces: readonly Piece[], at: number, room: number): string {
  let [from, to] = [at, at];
  const join = (first: number, last: number): string =>
    pieces
      .slice(first, last + 1)
      .map(({ text }) => text)
      .join(' ');
  const belongs = (position: number): boolean =>
    pieces[position] !== undefined && pieces[position]?.paragraph === pieces[at]?.paragraph;
  for (;;) {
    if (belongs(to + 1) && join(from, to + 1).length <= room) to += 1;
    else if (belongs(from - 1) && join(from - 1, to).length <= room) from -= 1;
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
