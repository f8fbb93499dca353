import { letOthersRun } from '../../support/async.js';
import type {
  CandidateFilter,
  Language,
  LexicalCandidate,
  MemoryIndex,
  Tokenizer,
} from '../index/index.js';
import { essentialTerms, selectiveTerms } from './bounds.js';
import { type DatedNotes, daysAfter } from './dates.js';
import { type LexicalQuery, matchExpression, withOptionalPhrases } from './query.js';
import { type AnalysedChunk, analyseChunk, type Ranking, rankCandidates } from './rank.js';
import { createTermMatcher, type TermMatcher } from './term-matcher.js';
import type { QueryTerm } from './terms.js';
import type { Correction } from './types.js';

/** Keyword matches, and how to rank by keywords. */
export interface KeywordMatches {
  readonly query: LexicalQuery;
  readonly match: string | undefined;
  readonly candidates: readonly LexicalCandidate[];
  readonly rank: (candidates: readonly LexicalCandidate[]) => Promise<Ranking>;
  readonly matcher: TermMatcher;
  readonly matches: number;
  readonly corrections: readonly Correction[];
}

/** Factor for a query of stop words: any note contains them, so no match is above the default minimum. */
const STOP_WORDS_SCORE = 0.2;

interface WordSearch {
  readonly limit: number;
  readonly filter: CandidateFilter;
  readonly tokenizer: Tokenizer;
  readonly languages: readonly Language[];
  readonly dates: DatedNotes | undefined;
  readonly signal: AbortSignal | undefined;
  /** Whether words that the index does not have are replaced. */
  readonly corrects: boolean;
}

/** What was replaced so far, and whether that is all. */
interface Corrections {
  readonly corrections: readonly Correction[];
  readonly isCorrected: boolean;
}

const NOT_CORRECTED: Corrections = { corrections: [], isCorrected: false };

/**
 * Candidates that match the words of a query. Unknown words are corrected, and a phrase that does not occur is searched
 * as words.
 */
export async function findByWords(
  index: MemoryIndex,
  query: LexicalQuery,
  search: WordSearch,
  { corrections, isCorrected }: Corrections = NOT_CORRECTED,
): Promise<KeywordMatches> {
  const { limit, filter, tokenizer, dates, signal } = search;
  const terms = [...query.terms, ...query.required];
  const statistics = await index.termStatistics(terms.map((term) => term.match));
  signal?.throwIfAborted();
  const isUnknown = query.terms.some((_, at) => statistics.frequencies[at] === 0);
  if (search.corrects && !isCorrected && isUnknown) {
    const { correctQuery } = await import('./corrections.js');
    const corrected = await correctQuery(index, query, statistics, search);
    const all = [...corrections, ...corrected.corrections];
    return findByWords(index, corrected.query, search, { corrections: all, isCorrected: true });
  }
  const selective = selectiveTerms(query.terms, statistics, tokenizer);
  const isScored = (term: number): boolean => selective.has(term) || term >= query.terms.length;
  const match = matchExpression({
    ...query,
    terms: query.terms.filter((_, at) => selective.has(at)),
  });
  const essential = essentialTerms(query, statistics, selective);
  const byWords =
    match === undefined ? [] : await index.lexicalCandidates(match, limit, filter, essential);
  // If a quoted phrase does not occur verbatim, its words are searched instead.
  if (byWords.length === 0 && query.required.length > 0) {
    const words = withOptionalPhrases(query, search);
    return findByWords(index, words, search, { corrections, isCorrected: false });
  }
  signal?.throwIfAborted();
  const matcher = createTermMatcher(terms, tokenizer);
  const byLanguage = await frequenciesIn(index, terms, search.languages);
  const dated = await datedCandidates(index, query, match, search);
  const known = new Set(byWords.map(({ chunkId }) => chunkId));
  const candidates = [...byWords, ...dated.filter(({ chunkId }) => !known.has(chunkId))];
  const withoutWords = candidates.filter(({ bm25 }) => bm25 === 0).length;
  const withWords = match === undefined ? 0 : await index.countMatches(match, filter);
  const matches = withWords + withoutWords;
  const rank = async (chunks: readonly LexicalCandidate[]): Promise<Ranking> => {
    const analysed = await analyse(chunks, matcher, signal);
    const counts = { ...statistics, byLanguage };
    const ranking = rankCandidates(analysed, counts, dates, isScored);
    if (!query.onlyStopWords) return ranking;
    return { ...ranking, scoreOf: (rank) => STOP_WORDS_SCORE * ranking.scoreOf(rank) };
  };
  return { query, match, candidates, rank, matcher, matches, corrections };
}

/** Candidates that are analysed without a pause: a few milliseconds. */
const WITHOUT_PAUSE = 25;

async function analyse(
  chunks: readonly LexicalCandidate[],
  matcher: TermMatcher,
  signal: AbortSignal | undefined,
): Promise<readonly AnalysedChunk[]> {
  const analysed: AnalysedChunk[] = [];
  for (const [at, chunk] of chunks.entries()) {
    if (at % WITHOUT_PAUSE === 0) await letOthersRun(signal);
    analysed.push(analyseChunk(chunk, matcher));
  }
  return analysed;
}

/** How many chunks contain what each term is in files of each language. */
async function frequenciesIn(
  index: MemoryIndex,
  terms: readonly QueryTerm[],
  languages: readonly Language[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const counted = new Map<string, readonly number[]>();
  if (!terms.some(({ inLanguage }) => inLanguage !== undefined)) return counted;
  for (const code of ['', ...languages.map((language) => language.code)]) {
    const matches = terms.map((term) => term.inLanguage?.get(code) ?? term.match);
    counted.set(code, (await index.termStatistics(matches)).frequencies);
  }
  return counted;
}

/** The best chunks that are from, or speak of, the days in the query, with or without its words. */
async function datedCandidates(
  index: MemoryIndex,
  { required, excluded }: LexicalQuery,
  match: string | undefined,
  { dates, limit, filter }: WordSearch,
): Promise<readonly LexicalCandidate[]> {
  if (dates === undefined || dates.chunks === 0) return [];
  const except =
    excluded.length === 0 ? undefined : excluded.map((term) => term.match).join(' OR ');
  const mustMatch = required.length > 0;
  const question = { days: dates.days, match, mustMatch, except, limit, filter };
  const dated = await index.datedCandidates(question);
  const later = await index.datedCandidates({ ...question, ...daysAfter(dates.days) });
  return [...dated, ...later.filter(dates.isMentionedIn)];
}

/** For queries without a searchable word: symbols, emoji, two characters with trigrams. */
export async function findLiterally(
  index: MemoryIndex,
  query: LexicalQuery,
  literal: string,
  { limit, filter, signal }: Pick<WordSearch, 'filter' | 'limit' | 'signal'>,
): Promise<KeywordMatches> {
  const candidates = await index.literalCandidates(literal, limit, filter);
  const term = { match: `"${literal}"`, forms: [] };
  const matcher = createTermMatcher([term], 'trigram');
  const scored = candidates.map((chunk): LexicalCandidate => {
    return { ...chunk, bm25: matcher(chunk.text).hits.length };
  });
  const statistics = { chunks: 1, frequencies: [0] };
  const rank = async (chunks: readonly LexicalCandidate[]): Promise<Ranking> =>
    rankCandidates(await analyse(chunks, matcher, signal), statistics, undefined);
  const none = { match: undefined, matches: candidates.length, corrections: [] };
  return { query, ...none, candidates: scored, rank, matcher };
}
