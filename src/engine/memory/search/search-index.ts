import { MIN_CANDIDATES } from '../../config/index.js';
import { SvcError, type Warning } from '../../errors/index.js';
import type { Reranking, RerankReport } from '../../rerank/index.js';
import { othersTurn } from '../../support/async.js';
import { isoDay } from '../../support/day.js';
import { runningMs } from '../../support/time.js';
import type { QueryEmbedder } from '../embedding/index.js';
import type {
  CandidateFilter,
  Language,
  LexicalCandidate,
  MemoryIndex,
  Tokenizer,
} from '../index/index.js';
import { documentKeyText, type Source } from '../types.js';
import { soughtTerms, tellingWords, withoutShortBeginnings } from './bounds.js';
import { type Backgrounds, backgroundsOf, joinCandidates, vectorScore } from './calibrate.js';

import type { CitationMode } from './citation.js';
import { type DatedNotes, dateIn, daysAfter, notesOf } from './dates.js';
import { ageInDays, type FusedChunk, type FusionShares, fuse, isEvergreen } from './fuse.js';
import { type LexicalQuery, matchExpression, parseQuery, type Reading, relaxed } from './query.js';

import {
  type AnalysedChunk,
  analyseChunk,
  type RankedChunk,
  type Ranking,
  rankCandidates,
} from './rank.js';
import { isCopy, type PromotedLines } from './repeats.js';
import { type Findings, resultsOf } from './results.js';
import { filterOf, filtersOf, queryWarnings, sourceWarnings, withKinds } from './search-request.js';
import { createTermMatcher, type TermMatcher } from './term-matcher.js';
import type { QueryTerm } from './terms.js';
import type {
  Correction,
  QueryVector,
  SearchMode,
  SearchRequest,
  SearchResponse,
} from './types.js';

export interface SearchOptions {
  readonly citations: CitationMode;
  /** The configured sources; undefined for all that are indexed. */
  readonly sources?: readonly Source[];
  /** Characters per snippet, on average over ten results. */
  readonly snippetChars: number;
  /** How many candidates are ranked per requested result (memory search §2.5). */
  readonly candidateMultiplier: number;
  /** Default number of results. */
  readonly maxResults: number;
  /** `query.minScore`, the default minimum; see {@link SearchRequest.minScore}. */
  readonly minScore: number;
  /** Weights of keywords and vectors in hybrid search. */
  readonly shares: FusionShares;
  /** `query.hybrid.enabled`: false uses only vectors when available. */
  readonly hybrid: boolean;
  /** In days; undefined disables temporal decay. */
  readonly halfLifeDays: number | undefined;
  /** Undefined disables diversification. */
  readonly mmrLambda: number | undefined;
  /** Undefined without a provider. */
  readonly embedder: Pick<QueryEmbedder, 'embed'> | undefined;
  /** Undefined without `query.rerank`. */
  readonly reranking?: Reranking | undefined;
  /** Milliseconds since the epoch, for ages and dates. */
  readonly nowMs: number;
  /** An IANA name, for dates; undefined means the host's. */
  readonly timeZone?: string | undefined;
  /** Earlier warnings, to include in the response. */
  readonly warnings: readonly Warning[];
}

const MAX_CANDIDATES = 400;

/**
 * Searches an index as it is.
 *
 * @param signal aborts between statements and other parts of the work, and while waiting for the provider
 */
export async function searchIndex(
  opened: MemoryIndex,
  request: SearchRequest,
  options: SearchOptions,
  signal?: AbortSignal,
): Promise<SearchResponse> {
  const started = runningMs();
  const warnings: Warning[] = [];
  const index = await opened.view();
  const { tokenizer } = await index.identity();
  const { chunks } = await index.termStatistics([]);
  const date = await dateIn(request.query, options.nowMs, options.timeZone);
  const dates = date === undefined ? undefined : await notesOf(date, index);
  const isDated = date !== undefined && dates !== undefined && dates.chunks > 0;
  const languages = tokenizer === 'trigram' ? [] : await index.languages();
  const words = isDated ? date.words : request.query;
  const parsed = parseQuery(words, tokenizer, { hasDate: isDated, languages });
  const bounded = withoutShortBeginnings(parsed, chunks);
  const query = await finished(index, bounded, request, { words, tokenizer, languages, chunks });
  // There is nothing else to embed or to compare.
  const onlyDate = isDated && dates.isAlone;
  const embedding = onlyDate
    ? Promise.resolve(undefined)
    : embed(index, request, options, warnings, signal);
  // Awaited later, so a rejection must not go unhandled until then.
  embedding.catch(() => undefined);
  const reranking = onlyDate ? undefined : rerankingOf(request, options.reranking);
  const maxResults = request.maxResults ?? options.maxResults;
  const limit = Math.max(candidateLimit(maxResults, options), reranking?.topN ?? 0);
  const understood = await filtersOf(request, options);
  const filter = await filterOf(request, options.sources, understood);
  const gather = async (most: number, embedded: Promise<QueryVector | undefined>) => {
    const found =
      query.literal === undefined
        ? await findByWords(index, query, {
            ...{ limit: most, filter, tokenizer, languages, dates, signal },
            corrects: request.exact !== true && tokenizer !== 'trigram' && !onlyDate,
          })
        : await findLiterally(index, query, query.literal, { limit: most, filter, signal });
    signal?.throwIfAborted();
    const vector = await embedded;
    const brought = { found, vector, limit: most, filter, tokenizer };
    const weighed = await weighOrWarn(index, brought, options, warnings);
    const unranked = await resultsOf(weighed, request, options, signal);
    return { found, vector, weighed, unranked };
  };
  const first = await gather(limit, embedding);
  // Where passages that say the same took the places of candidates, more candidates are ranked, once.
  const isCrowded =
    limit < MAX_CANDIDATES &&
    first.found.candidates.length >= limit &&
    first.unranked.results.length < maxResults &&
    first.unranked.results.some(({ similarCount }) => similarCount !== undefined);
  // A vector that was not comparable with the index has had its warning.
  const usable = first.weighed.mode === 'lexical' ? Promise.resolve(undefined) : embedding;
  const { found, vector, weighed, unranked } = isCrowded
    ? await gather(MAX_CANDIDATES, usable)
    : first;
  const { findings, report } = await rerank(index, weighed, request, reranking, warnings, signal);
  const { results, belowMinScore } =
    findings === weighed ? unranked : await resultsOf(findings, request, options, signal);
  return {
    query: request.query,
    mode: findings.mode,
    backend: 'builtin',
    provider: findings.mode === 'lexical' ? null : (vector?.provider ?? null),
    model: findings.mode === 'lexical' ? null : (vector?.model ?? null),
    dates: dates === undefined ? null : datesOutput(dates),
    ...(understood === undefined ? {} : { filters: understood.told }),
    results: await withKinds(index, results),
    corrections: found.corrections,
    ...(report === undefined ? {} : { rerank: report }),
    matches: found.matches,
    belowMinScore,
    searchMs: runningMs() - started,
    warnings: [
      ...options.warnings,
      ...warnings,
      ...sourceWarnings(request, options.sources),
      ...queryWarnings(query, isDated),
    ],
  };
}

/** The query, with its last word as a prefix if it is still being typed. Lazy, because few searches are. */
async function finished(
  index: MemoryIndex,
  query: LexicalQuery,
  request: SearchRequest,
  { words, tokenizer, ...reading }: Reading & { readonly words: string; readonly chunks: number },
): Promise<LexicalQuery> {
  // Trigrams already match parts of words.
  if (request.unfinished !== true || tokenizer === 'trigram') return query;
  const { withUnfinishedWord } = await import('./unfinished-word.js');
  return withUnfinishedWord(index, query, words, reading);
}

/** Searches while typing are not reranked, because each costs money. */
function rerankingOf(
  { query, lexicalOnly, rerank }: SearchRequest,
  reranking: Reranking | undefined,
): Reranking | undefined {
  const isOff = lexicalOnly === true || rerank === false || query.trim() === '';
  return isOff ? undefined : reranking;
}

/** Loaded by name, because most searches are not reranked. */
async function rerank(
  index: MemoryIndex,
  findings: Findings,
  request: SearchRequest,
  reranking: Reranking | undefined,
  warnings: Warning[],
  signal: AbortSignal | undefined,
): Promise<{ readonly findings: Findings; readonly report?: RerankReport }> {
  if (reranking === undefined) return { findings };
  const { rerankFindings } = await import('./rerank-findings.js');
  return rerankFindings(index, findings, request, reranking, warnings, signal);
}

/** Starts embedding the query, so that the provider works during the keyword search. */
async function embed(
  index: MemoryIndex,
  request: SearchRequest,
  { embedder }: SearchOptions,
  warnings: Warning[],
  signal: AbortSignal | undefined,
): Promise<QueryVector | undefined> {
  const blank = request.query.trim() === '';
  if (embedder === undefined || request.lexicalOnly === true || blank) return undefined;
  return embedder.embed(request.query, index, warnings, signal);
}

interface Brought {
  readonly found: Found;
  readonly vector: QueryVector | undefined;
  readonly limit: number;
  readonly filter: CandidateFilter;
  readonly tokenizer: Tokenizer;
}

/** Falls back to keywords if the query's vector is not comparable with the index. */
async function weighOrWarn(
  index: MemoryIndex,
  brought: Brought,
  options: SearchOptions,
  warnings: Warning[],
): Promise<Findings> {
  try {
    return await weigh(index, brought, options);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'PROVIDER_ANSWER_INVALID') throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    const message = `keyword search only: ${error.message}`;
    warnings.push({ code: 'PROVIDER_UNAVAILABLE', message, ...hint });
    return weigh(index, { ...brought, vector: undefined }, options);
  }
}

/** Combines keywords, vectors and age. */
async function weigh(
  index: MemoryIndex,
  { found, vector, limit, filter, tokenizer }: Brought,
  options: SearchOptions,
): Promise<Findings> {
  const { query, match, matcher } = found;
  if (vector === undefined) {
    const ranking = await found.rank(found.candidates);
    const chunks = ranking.chunks.map((ranked) => ({ ranked, similarity: undefined }));
    return findingsOf(index, { mode: 'lexical', ranking, matcher, chunks }, ALL_TEXT, options);
  }
  const constraints = createTermMatcher([...query.required, ...query.excluded], tokenizer);
  const backgrounds = await backgroundsOf(index, vector);
  const { media } = backgrounds;
  const { chunks: candidates, similarities } = await joinCandidates(index, {
    ...{ query, match, lexical: found.candidates, vector, limit, filter, constraints, media },
    standsOut: (chunkId, similarity) =>
      !options.hybrid || vectorScore(similarity, backgrounds.of(chunkId)) > 0,
  });
  const ranking = await found.rank(candidates);
  const chunks = ranking.chunks
    .map((ranked) => ({ ranked, similarity: similarities.get(ranked.chunk.chunkId) }))
    .filter(({ similarity }) => options.hybrid || similarity !== undefined);
  const mode = options.hybrid ? 'hybrid' : 'vector';
  const shares = options.hybrid ? options.shares : ALL_VECTOR;
  return findingsOf(index, { mode, ranking, matcher, chunks, backgrounds }, shares, options);
}

const ALL_TEXT: FusionShares = { text: 1, vector: 0 };
const ALL_VECTOR: FusionShares = { text: 0, vector: 1 };

interface Sides {
  readonly mode: SearchMode;
  readonly ranking: Ranking;
  readonly matcher: TermMatcher;
  readonly chunks: readonly {
    readonly ranked: RankedChunk;
    readonly similarity: number | undefined;
  }[];
  readonly backgrounds?: Backgrounds;
}

async function findingsOf(
  index: MemoryIndex,
  { mode, ranking, matcher, chunks, backgrounds }: Sides,
  shares: FusionShares,
  { halfLifeDays, nowMs }: SearchOptions,
): Promise<Findings> {
  const ageOf = await agesOf(index, chunks, nowMs, halfLifeDays !== undefined);
  const similarities = new Map<number, number>();
  const candidates = chunks.map(({ ranked, similarity }) => {
    if (similarity !== undefined) similarities.set(ranked.chunk.chunkId, similarity);
    return {
      ranked,
      textScore: ranking.scoreOf(ranked.rank),
      vectorScore:
        similarity === undefined || backgrounds === undefined
          ? undefined
          : vectorScore(similarity, backgrounds.of(ranked.chunk.chunkId)),
      similarity: mode === 'vector' ? similarity : undefined,
      ageDays: ageOf(ranked),
    };
  });
  const fused = fuse(candidates, { shares, halfLifeDays });
  const promoted = await promotedAmong(index, chunks);
  return { mode, fused, shares, similarities, matcher, lineWeights: ranking.lineWeights, promoted };
}

/** The lines that dreaming wrote; nothing is read unless long-term memory is among the candidates. */
async function promotedAmong(index: MemoryIndex, chunks: Sides['chunks']): Promise<PromotedLines> {
  const copies = chunks.map(({ ranked }) => ranked.chunk).filter(isCopy);
  const keys = new Map(copies.map((chunk) => [documentKeyText(chunk), chunk]));
  const documents = keys.size === 0 ? [] : await index.describe([...keys.values()]);
  return new Map(documents.map((one) => [documentKeyText(one), one.promoted ?? []]));
}

/**
 * Ages of candidates. Only decay needs modification times, and only if a name does not contain a date;
 * otherwise no documents are read.
 */
async function agesOf(
  index: MemoryIndex,
  chunks: Sides['chunks'],
  nowMs: number,
  decays: boolean,
): Promise<(ranked: RankedChunk) => FusedChunk['ageDays']> {
  const undated = decays ? chunks.filter(({ ranked: { chunk } }) => !isEvergreen(chunk)) : [];
  const keys = new Map(undated.map(({ ranked: { chunk } }) => [documentKeyText(chunk), chunk]));
  const documents = keys.size === 0 ? [] : await index.describe([...keys.values()]);
  const modified = new Map(
    documents.map((document) => [documentKeyText(document), document.modifiedMs]),
  );
  return ({ chunk: { source, path, ...chunk } }) => {
    const modifiedMs = modified.get(documentKeyText({ source, path, ...chunk }));
    return ageInDays({ source, path, modifiedMs }, nowMs);
  };
}

/** Keyword matches, and how to rank by keywords. */
interface Found {
  readonly query: LexicalQuery;
  readonly match: string | undefined;
  readonly candidates: readonly LexicalCandidate[];
  readonly rank: (candidates: readonly LexicalCandidate[]) => Promise<Ranking>;
  readonly matcher: TermMatcher;
  readonly matches: number;
  readonly corrections: readonly Correction[];
}

export function candidateLimit(
  maxResults: number,
  { candidateMultiplier }: Pick<SearchOptions, 'candidateMultiplier'>,
): number {
  const wanted = Math.max(MIN_CANDIDATES, Math.floor(maxResults * candidateMultiplier));
  return Math.min(wanted, Math.max(MAX_CANDIDATES, maxResults));
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

async function findByWords(
  index: MemoryIndex,
  query: LexicalQuery,
  search: WordSearch,
  { corrections, isCorrected }: Corrections = NOT_CORRECTED,
): Promise<Found> {
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
  const sought = soughtTerms(query.terms, statistics, tokenizer);
  const isScored = (term: number): boolean => sought.has(term) || term >= query.terms.length;
  const match = matchExpression({ ...query, terms: query.terms.filter((_, at) => sought.has(at)) });
  const telling = tellingWords(query, statistics, sought);
  const worded =
    match === undefined ? [] : await index.lexicalCandidates(match, limit, filter, telling);
  // If a quoted phrase does not occur verbatim, its words are searched instead.
  if (worded.length === 0 && query.required.length > 0) {
    const words = relaxed(query, search);
    return findByWords(index, words, search, { corrections, isCorrected: false });
  }
  signal?.throwIfAborted();
  const matcher = createTermMatcher(terms, tokenizer);
  const byLanguage = await frequenciesIn(index, terms, search.languages);
  const candidates = await withDated(index, worded, query, match, search);
  const wordless = candidates.filter(({ bm25 }) => bm25 === 0).length;
  const matches = wordless + (match === undefined ? 0 : await index.countMatches(match, filter));
  const rank = async (chunks: readonly LexicalCandidate[]): Promise<Ranking> => {
    const counted = { ...statistics, byLanguage };
    const analysed = await analyse(chunks, matcher, signal);
    const ranking = rankCandidates(analysed, counted, dates, { has: isScored });
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
    if (at % WITHOUT_PAUSE === 0) await othersTurn(signal);
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

/** Adds the best chunks that are from, or speak of, the days in the query, with or without its words. */
async function withDated(
  index: MemoryIndex,
  worded: readonly LexicalCandidate[],
  { required, excluded }: LexicalQuery,
  match: string | undefined,
  { dates, limit, filter }: WordSearch,
): Promise<readonly LexicalCandidate[]> {
  if (dates === undefined || dates.chunks === 0) return worded;
  const except =
    excluded.length === 0 ? undefined : excluded.map((term) => term.match).join(' OR ');
  const mustMatch = required.length > 0;
  const question = { days: dates.days, match, mustMatch, except, limit, filter };
  const known = new Set(worded.map((chunk) => chunk.chunkId));
  const dated = await index.datedCandidates(question);
  const later = await index.datedCandidates({ ...question, ...daysAfter(dates.days) });
  const added = [...dated, ...later.filter(dates.isSpokenOfIn)];
  return [...worded, ...added.filter((chunk) => !known.has(chunk.chunkId))];
}

function datesOutput({ text, days, chunks }: DatedNotes): SearchResponse['dates'] {
  return { text, from: isoDay(days.first), to: isoDay(days.last), passages: chunks };
}

/** For queries without a searchable word: symbols, emoji, two characters with trigrams. */
async function findLiterally(
  index: MemoryIndex,
  query: LexicalQuery,
  literal: string,
  { limit, filter, signal }: Pick<WordSearch, 'filter' | 'limit' | 'signal'>,
): Promise<Found> {
  const candidates = await index.literalCandidates(literal, limit, filter);
  const term = { match: `"${literal}"`, forms: [] };
  const matcher = createTermMatcher([term], 'trigram');
  const counted = candidates.map((chunk): LexicalCandidate => {
    return { ...chunk, bm25: matcher(chunk.text).hits.length };
  });
  const statistics = { chunks: 1, frequencies: [0] };
  const rank = async (chunks: readonly LexicalCandidate[]): Promise<Ranking> =>
    rankCandidates(await analyse(chunks, matcher, signal), statistics, undefined);
  const none = { match: undefined, matches: candidates.length, corrections: [] };
  return { query, ...none, candidates: counted, rank, matcher };
}
