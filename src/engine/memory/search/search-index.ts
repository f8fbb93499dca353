import { SvcError, type Warning } from '../../errors/index.js';
import { runningMs } from '../../running-ms.js';
import type { Tokenizer } from '../index/identity.js';
import type { CandidateFilter, LexicalCandidate, MemoryIndex } from '../index/memory-index.js';
import type { Source } from '../types.js';
import { type Backgrounds, backgroundsOf } from './backgrounds.js';
import { textSide, vectorScore } from './calibrate.js';
import { joinCandidates } from './candidates.js';
import type { CitationMode } from './citation.js';
import { ageInDays, isEvergreen } from './decay.js';
import { type FusedChunk, type FusionShares, fuse } from './fuse.js';
import { type LexicalQuery, matchExpression, parseQuery, relaxed } from './query.js';
import { datesInQuery } from './query-dates.js';
import { type RankedChunk, type Ranking, rankCandidates } from './rank.js';
import { type Findings, resultsOf } from './results.js';
import { filterOf } from './search-filter.js';
import { queryWarnings, sourceWarnings } from './search-warnings.js';
import type { QueryEmbedder, QueryVector } from './semantic.js';
import { createTermMatcher, type TermMatcher } from './term-matcher.js';
import type { SearchMode, SearchRequest, SearchResponse } from './types.js';
import { withKinds } from './with-kinds.js';

/** How answers are made, besides what is asked. */
export interface SearchOptions {
  readonly citations: CitationMode;
  /** The sources that answers come from, whatever is asked; absent is all that is indexed. */
  readonly sources?: readonly Source[];
  /** Characters of a snippet, on average over ten results. */
  readonly snippetChars: number;
  /** How many candidates are ranked for each result asked for (memory search §2.5). */
  readonly candidateMultiplier: number;
  /** When the request names no number. */
  readonly maxResults: number;
  /** `query.minScore`, when the request names no minimum; see {@link SearchRequest.minScore}. */
  readonly minScore: number;
  /** How much words and vectors count where both are asked. */
  readonly shares: FusionShares;
  /** `query.hybrid.enabled`: false leaves the words out where vectors can answer. */
  readonly hybrid: boolean;
  /** Undefined switches the decay by age off; days otherwise. */
  readonly halfLifeDays: number | undefined;
  /** Undefined switches diversification off. */
  readonly mmrLambda: number | undefined;
  /** Undefined when no provider is configured. */
  readonly embedder: QueryEmbedder | undefined;
  /** Milliseconds since the epoch, for ages. */
  readonly nowMs: number;
  /** What went wrong before the search; goes into the answer. */
  readonly warnings: readonly Warning[];
}

/** Fewer candidates than this leave nothing to rank, however few results are asked for. */
const MIN_CANDIDATES = 24;
const MAX_CANDIDATES = 400;

/**
 * Searches an index as it is.
 *
 * @param signal ends waiting for the embedding provider
 */
export async function searchIndex(
  index: MemoryIndex,
  request: SearchRequest,
  options: SearchOptions,
  signal?: AbortSignal,
): Promise<SearchResponse> {
  const started = runningMs();
  const warnings: Warning[] = [];
  const { tokenizer } = await index.identity();
  const query = parseQuery(request.query, tokenizer);
  const embedding = embed(index, request, options, warnings, signal);
  const limit = candidateLimit(request.maxResults ?? options.maxResults, options);
  const filter = await filterOf(request, options.sources);
  const found =
    query.literal === undefined
      ? await findByWords(index, query, limit, filter, tokenizer, request.query)
      : await findLiterally(index, query, query.literal, limit, filter);
  const vector = await embedding;
  const brought = { found, vector, limit, filter, tokenizer };
  const findings = await weighOrWarn(index, brought, options, warnings);
  const { results, belowMinScore } = resultsOf(findings, request, options);
  return {
    query: request.query,
    mode: findings.mode,
    backend: 'builtin',
    provider: findings.mode === 'lexical' ? null : (vector?.provider ?? null),
    model: findings.mode === 'lexical' ? null : (vector?.model ?? null),
    results: await withKinds(index, results),
    matches: found.matches,
    belowMinScore,
    searchMs: runningMs() - started,
    warnings: [
      ...options.warnings,
      ...warnings,
      ...sourceWarnings(request, options.sources),
      ...queryWarnings(query),
    ],
  };
}

/** Starts embedding the question; the provider answers while the words are looked for. */
async function embed(
  index: MemoryIndex,
  request: SearchRequest,
  { embedder }: SearchOptions,
  warnings: Warning[],
  signal: AbortSignal | undefined,
): Promise<QueryVector | undefined> {
  const blank = request.query.trim() === '';
  if (embedder === undefined || request.lexicalOnly === true || blank) return undefined;
  const embedding = embedder.embed(request.query, index, warnings, signal);
  // Awaited later; whatever fails until then must not leave this one unheard.
  embedding.catch(() => undefined);
  return embedding;
}

/** What was found, before its final order. */
interface Brought {
  readonly found: Found;
  readonly vector: QueryVector | undefined;
  readonly limit: number;
  readonly filter: CandidateFilter;
  readonly tokenizer: Tokenizer;
}

/** Falls back to the words where the question's vector cannot be compared with those of the index. */
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
    const message = `found by words alone: ${error.message}`;
    warnings.push({ code: 'PROVIDER_UNAVAILABLE', message, ...hint });
    return weigh(index, { ...brought, vector: undefined }, options);
  }
}

/** Brings both sides and the age together. */
async function weigh(
  index: MemoryIndex,
  { found, vector, limit, filter, tokenizer }: Brought,
  options: SearchOptions,
): Promise<Findings> {
  const { query, match, matcher } = found;
  if (vector === undefined) {
    const ranking = found.rank(found.candidates);
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
  const ranking = found.rank(candidates);
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
  const ageOf = halfLifeDays === undefined ? () => undefined : await agesOf(index, chunks, nowMs);
  const similarities = new Map<number, number>();
  const best = Math.max(0, ...chunks.map(({ ranked }) => ranked.rank));
  const candidates = chunks.map(({ ranked, similarity }) => {
    if (similarity !== undefined) similarities.set(ranked.chunk.chunkId, similarity);
    return {
      ranked,
      wordScore: ranking.scoreOf(ranked.rank),
      textScore:
        backgrounds === undefined
          ? ranking.scoreOf(ranked.rank)
          : textSide(ranking.scoreOf, ranked.rank, best),
      vectorScore:
        similarity === undefined || backgrounds === undefined
          ? undefined
          : vectorScore(similarity, backgrounds.of(ranked.chunk.chunkId)),
      similarity: mode === 'vector' ? similarity : undefined,
      ageDays: ageOf(ranked),
    };
  });
  const fused = fuse(candidates, { shares, halfLifeDays });
  return { mode, fused, shares, similarities, matcher, lineWeights: ranking.lineWeights };
}

/** Tells ages; looks documents up only where a name does not say it. */
async function agesOf(
  index: MemoryIndex,
  chunks: Sides['chunks'],
  nowMs: number,
): Promise<(ranked: RankedChunk) => FusedChunk['ageDays']> {
  const undated = chunks.some(({ ranked: { chunk } }) => !isEvergreen(chunk));
  const documents = undated ? await index.documents() : [];
  const modified = new Map(
    documents.map(({ source, path, fingerprint }) => [`${source}:${path}`, fingerprint.mtimeMs]),
  );
  return ({ chunk: { source, path } }) =>
    ageInDays({ source, path, modifiedMs: modified.get(`${source}:${path}`) }, nowMs);
}

/** What the words found, and how anything is ranked by them. */
interface Found {
  readonly query: LexicalQuery;
  readonly match: string | undefined;
  readonly candidates: readonly LexicalCandidate[];
  readonly rank: (candidates: readonly LexicalCandidate[]) => Ranking;
  readonly matcher: TermMatcher;
  readonly matches: number;
}

/** How many candidates are ranked for so many results. */
export function candidateLimit(
  maxResults: number,
  { candidateMultiplier }: Pick<SearchOptions, 'candidateMultiplier'>,
): number {
  const wanted = Math.max(MIN_CANDIDATES, Math.floor(maxResults * candidateMultiplier));
  return Math.min(wanted, Math.max(MAX_CANDIDATES, maxResults));
}

async function findByWords(
  index: MemoryIndex,
  query: LexicalQuery,
  limit: number,
  filter: CandidateFilter,
  tokenizer: Tokenizer,
  text: string,
): Promise<Found> {
  const match = matchExpression(query);
  const candidates = match === undefined ? [] : await index.lexicalCandidates(match, limit, filter);
  // A quotation that nobody wrote down word for word is still a question.
  if (candidates.length === 0 && query.required.length > 0) {
    return findByWords(index, relaxed(query, tokenizer), limit, filter, tokenizer, text);
  }
  const terms = [...query.terms, ...query.required];
  const matcher = createTermMatcher(terms, tokenizer);
  const statistics = await index.termStatistics(terms.map((term) => term.match));
  const dates = datesInQuery(text);
  const matches = match === undefined ? 0 : await index.countMatches(match, filter);
  const rank = (chunks: readonly LexicalCandidate[]): Ranking =>
    rankCandidates(chunks, statistics, matcher, dates);
  return { query, match, candidates, rank, matcher, matches };
}

/** For what holds no word the index could look up: symbols, emoji, two characters with trigrams. */
async function findLiterally(
  index: MemoryIndex,
  query: LexicalQuery,
  literal: string,
  limit: number,
  filter: CandidateFilter,
): Promise<Found> {
  const candidates = await index.literalCandidates(literal, limit, filter);
  const term = { match: `"${literal}"`, stems: [], prefix: false };
  const matcher = createTermMatcher([term], 'trigram');
  const counted = candidates.map((chunk): LexicalCandidate => {
    return { ...chunk, bm25: matcher(chunk.text).hits.length };
  });
  const statistics = { chunks: 1, frequencies: [0] };
  const rank = (chunks: readonly LexicalCandidate[]): Ranking =>
    rankCandidates(chunks, statistics, matcher, undefined);
  const none = { match: undefined, matches: candidates.length };
  return { query, ...none, candidates: counted, rank, matcher };
}
