import { daysOverlap } from '../../support/day.js';
import { daysOfChunk, fileNameWords, idf, type LexicalCandidate } from '../index/index.js';
import { isSameDocument } from '../types.js';
import { type DatedNotes, WRITTEN_WITHIN_DAYS } from './dates.js';
import type { TermMatcher, TextAnalysis } from './term-matcher.js';

/** How common the query's terms are. */
export interface TermStatistics {
  /** Chunks in the index. */
  readonly chunks: number;
  /** For each term: in how many chunks it occurs. */
  readonly frequencies: readonly number[];
  /**
   * The same for the word that a term is in files of a language, by its code, `''` for English. BM25 weighs
   * that word, which is rare where few files are in that language.
   */
  readonly byLanguage?: ReadonlyMap<string, readonly number[]>;
}

/** A line of a candidate, with the query terms in it. */
export type RankedLine = Readonly<ReturnType<typeof rankedLine>>;

/** A candidate with the query terms in its lines. */
export type AnalysedChunk = Readonly<ReturnType<typeof analyseChunk>>;

/** A candidate with its final lexical rank. */
export interface RankedChunk extends AnalysedChunk {
  /** Only comparable within one query; see {@link Ranking.scoreOf}. */
  readonly rank: number;
}

/** The candidates in their final order. */
export type Ranking = ReturnType<typeof rankCandidates>;

/* Constants tuned on two different corpora; see docs/search-quality.md for the effect of each. */
/** Bonus for the best line's share of the query, in units of the query's total weight. */
const BEST_LINE = 0.5;
/** Bonus for adjacent query words, in units of the rarer one's weight. */
const PHRASE = 0.3;
/** Maximum distance in characters, with room for a word like "the". */
const PHRASE_GAP = 6;
/** Bonus for a chunk that is from, or speaks of, the days in the query, in units of the query's total weight. */
const DATE = 0.6;
/** The same where the question asks about nothing else. */
const ONLY_DATE = 2;
/** The same for a chunk of the days after: events are noted later. */
const WRITTEN_LATER = 0.2;
/** Share of the better neighbouring chunk's rank that is added. */
const NEIGHBOUR = 0.1;

/** How many of the heaviest terms are the whole of a query: more than a question has. */
const FULL_WEIGHT_TERMS = 16;

/**
 * Orders candidates by BM25 and by what BM25 ignores: query words on one line, in the query's order, matches
 * in adjacent passages, and notes of a mentioned day.
 *
 * @param isScored whether the term at a position contributes to the candidates' BM25
 */
export function rankCandidates(
  analysed: readonly AnalysedChunk[],
  statistics: TermStatistics,
  dates: DatedNotes | undefined,
  isScored: (term: number) => boolean = () => true,
) {
  const { chunks: total, frequencies, byLanguage } = statistics;
  // An unknown word weighs as much as one in a single passage, or it would outweigh the known words.
  const weights = frequencies.map((frequency) => smoothIdf(total, Math.max(1, frequency)));
  // Notes of the days weigh like notes with a word: the fewer there are, the more a match says.
  const dateWeight = dates === undefined || dates.chunks === 0 ? 0 : smoothIdf(total, dates.chunks);
  const queryWeight = sum(weights) + dateWeight;
  // No passage contains most of a pasted page: its heaviest words are enough.
  const fullWeight = sum(
    [...weights, dateWeight].sort((a, b) => b - a).slice(0, FULL_WEIGHT_TERMS),
  );
  // What BM25 omits of each term's weight: all of it for terms that were not searched.
  const omittedOf = (frequenciesOfTerms: readonly number[]): number[] =>
    frequenciesOfTerms.map(
      (frequency, term) => (weights[term] ?? 0) - (isScored(term) ? idf(total, frequency) : 0),
    );
  const omittedOfAll = omittedOf(frequencies);
  const omittedIn = new Map([...(byLanguage ?? [])].map(([code, own]) => [code, omittedOf(own)]));
  /** For each term: its weight among the lines of the candidates. */
  const lineWeights = lineWeightsOf(
    analysed.flatMap(({ lines }) => lines),
    frequencies.length,
  );
  const lineTotal = sum(lineWeights);
  const ranked = analysed.map(({ chunk, lines, above }) => {
    const best = Math.max(0, ...lines.map((line) => termsWeight(line.terms, lineWeights)));
    const phrases = Math.max(0, ...lines.map((line) => pairsWeight(line.pairs, weights)));
    const present = [...new Set([...above, ...lines.flatMap((line) => line.terms)])];
    const dateShare = dates === undefined ? 0 : dateShareOf(chunk, dates);
    const rank =
      chunk.bm25 +
      termsWeight(present, omittedIn.get(chunk.language ?? '') ?? omittedOfAll) +
      (lineTotal === 0 ? 0 : (BEST_LINE * queryWeight * best) / lineTotal) +
      PHRASE * phrases +
      dateShare * queryWeight;
    return { chunk, lines, above, rank };
  });
  return {
    chunks: withNeighbours(ranked).sort(byRank),
    lineWeights,
    /** Maps a rank to 0..1, on the same scale for every query and index. */
    scoreOf: (rank: number) =>
      fullWeight === 0 ? 0 : 1 - Math.exp(-Math.max(0, rank) / fullWeight),
  };
}

/** BM25's idf with one added inside the logarithm (as in Lucene): positive for every term. */
function smoothIdf(total: number, frequency: number): number {
  return Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
}

/** Finds the terms of the query in a candidate. */
export function analyseChunk(chunk: LexicalCandidate, matcher: TermMatcher) {
  const lines = chunk.text.split('\n').map((text) => rankedLine(text, matcher(text)));
  /** Positions of the query terms in the headings above it and the file's name, which BM25 counts too. */
  const { hits } = matcher([...chunk.headingPath, fileNameWords(chunk)].join('\n'));
  return { chunk, lines, above: hits.map(({ term }) => term) };
}

function rankedLine(text: string, { hits, hasWords }: TextAnalysis) {
  /** Positions of the query terms that occur in the line, each once. */
  const terms = [...new Set(hits.map((hit) => hit.term))];
  /** Of these, the terms directly followed by the query's next term: words of a phrase. */
  const pairs = terms.length < 2 ? [] : pairsOf(hits);
  return { text, hasWords, terms, pairs };
}

function pairsOf(hits: TextAnalysis['hits']): readonly number[] {
  const pairs = new Set<number>();
  for (const [at, hit] of hits.entries()) {
    const next = hits[at + 1];
    if (next?.term === hit.term + 1 && next.start - hit.end <= PHRASE_GAP) pairs.add(hit.term);
  }
  return [...pairs];
}

function pairsWeight(pairs: readonly number[], weights: readonly number[]): number {
  return sum(pairs.map((term) => Math.min(weights[term] ?? 0, weights[term + 1] ?? 0)));
}

function lineWeightsOf(lines: readonly RankedLine[], terms: number): number[] {
  const withWords = lines.filter((line) => line.hasWords);
  const frequencies = new Array<number>(terms).fill(0);
  for (const line of withWords) {
    for (const term of line.terms) frequencies[term] = (frequencies[term] ?? 0) + 1;
  }
  return frequencies.map((frequency) => smoothIdf(withWords.length, frequency));
}

/** Chunks of one document have consecutive ids, because they are written together. */
function withNeighbours(chunks: readonly RankedChunk[]): RankedChunk[] {
  const byId = new Map(chunks.map((ranked) => [ranked.chunk.chunkId, ranked]));
  const neighbourRank = (ranked: RankedChunk, step: number): number => {
    const other = byId.get(ranked.chunk.chunkId + step);
    const isNeighbour = other !== undefined && isSameDocument(other.chunk, ranked.chunk);
    return isNeighbour ? other.rank : 0;
  };
  return chunks.map((ranked) => {
    const better = Math.max(neighbourRank(ranked, -1), neighbourRank(ranked, 1));
    return { ...ranked, rank: ranked.rank + NEIGHBOUR * better };
  });
}

function byRank(a: RankedChunk, b: RankedChunk): number {
  if (a.rank !== b.rank) return b.rank - a.rank;
  if (a.chunk.path !== b.chunk.path) return a.chunk.path < b.chunk.path ? -1 : 1;
  return a.chunk.startLine - b.chunk.startLine || a.chunk.chunkId - b.chunk.chunkId;
}

function dateShareOf(
  chunk: LexicalCandidate,
  { days: asked, isAlone, isMentionedIn }: DatedNotes,
): number {
  const days = daysOfChunk(chunk, chunk);
  if (days === undefined) return 0;
  if (daysOverlap(days, asked)) return isAlone ? ONLY_DATE : DATE;
  if (isMentionedIn(chunk)) return DATE;
  const later = { ...asked, last: asked.last + WRITTEN_WITHIN_DAYS };
  return daysOverlap(days, later) ? WRITTEN_LATER : 0;
}

export function termsWeight(terms: readonly number[], weights: readonly number[]): number {
  return terms.reduce((total, term) => total + (weights[term] ?? 0), 0);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
