import { MIN_CANDIDATES } from '../../config/index.js';
import type { Warning } from '../../errors/index.js';
import type { Reranking, RerankReport } from '../../rerank/index.js';
import { isoDay } from '../../support/day.js';
import { runningMs } from '../../support/time.js';
import type { QueryVector } from '../embedding/query-embedder.js';
import type { Language, MemoryIndex } from '../index/index.js';
import { shortestPrefix, withoutShortPrefixes } from './bounds.js';
import { combineScoresOrWarn } from './combine-scores.js';
import { type DatedNotes, dateIn, findDatedNotes } from './dates.js';
import { findByWords, findLiterally } from './find-candidates.js';
import { type LexicalQuery, parseQuery } from './query.js';
import type { RerankInput } from './rerank-findings.js';
import { type Findings, resultsOf } from './results.js';
import { candidateFilter, queryWarnings, readFilters, sourceWarnings } from './search-request.js';
import { prefixTerm, type QueryReading } from './terms.js';
import type { SearchOptions, SearchRequest, SearchResponse } from './types.js';

const MAX_CANDIDATES = 400;

/**
 * Searches an index as it is.
 *
 * @param signal aborts between statements and other parts of the work, and while waiting for the provider
 */
export async function searchIndex(
  openIndex: MemoryIndex,
  request: SearchRequest,
  options: SearchOptions,
  signal?: AbortSignal,
): Promise<SearchResponse> {
  const started = runningMs();
  const warnings: Warning[] = [];
  const index = await openIndex.view();
  const { query, tokenizer, languages, dates, isDated } = await readQuery(index, request, options);
  // Before the provider is asked, because a filter may be wrong.
  const filters = await readFilters(request, options);
  const filter = await candidateFilter(request, options.sources, filters);
  // A query that is only a date has nothing to embed or to rerank by.
  const isOnlyDate = isDated && dates?.isAlone === true;
  const embedding = isOnlyDate
    ? Promise.resolve(undefined)
    : embedQuery(index, request, { embedder: options.embedder, warnings, signal });
  // Awaited later, so a rejection must not go unhandled until then.
  embedding.catch(() => undefined);
  const reranking = isOnlyDate ? undefined : rerankingOf(request, options.reranking);
  const maxResults = request.maxResults ?? options.maxResults;
  const resultOptions = { ...options, days: isDated ? dates?.days : undefined };
  const searchAmong = async (limit: number, embedding: Promise<QueryVector | undefined>) => {
    const keywords =
      query.literal === undefined
        ? await findByWords(index, query, {
            limit,
            filter,
            tokenizer,
            languages,
            dates,
            signal,
            corrects: request.exact !== true && tokenizer !== 'trigram' && !isOnlyDate,
          })
        : await findLiterally(index, query, query.literal, { limit, filter, signal });
    signal?.throwIfAborted();
    const vector = await embedding;
    const input = { keywords, vector, limit, filter, tokenizer };
    const findings = await combineScoresOrWarn(index, input, options, warnings);
    const output = await resultsOf(findings, request, resultOptions, signal);
    return { keywords, vector, findings, output };
  };
  const limit = Math.max(candidateLimit(maxResults, options), reranking?.topN ?? 0);
  const first = await searchAmong(limit, embedding);
  // Where passages that say the same took the places of candidates, more candidates are ranked, once.
  const isCrowded =
    limit < MAX_CANDIDATES &&
    first.keywords.candidates.length >= limit &&
    first.output.results.length < maxResults &&
    first.output.results.some(({ similarCount }) => similarCount !== undefined);
  // The warning about a vector that is not comparable with the index is not repeated.
  const comparable = first.findings.mode === 'lexical' ? Promise.resolve(undefined) : embedding;
  const last = isCrowded ? await searchAmong(MAX_CANDIDATES, comparable) : first;
  const { keywords, vector } = last;
  const rerankInput = { query: request.query, reranking, warnings, signal };
  const { findings, report } = await rerank(last.findings, rerankInput);
  const { results, belowMinScore } =
    findings === last.findings
      ? last.output
      : await resultsOf(findings, request, resultOptions, signal);
  return {
    query: request.query,
    backend: 'builtin',
    mode: findings.mode,
    provider: findings.mode === 'lexical' ? null : (vector?.provider ?? null),
    model: findings.mode === 'lexical' ? null : (vector?.model ?? null),
    dates: dates === undefined ? null : datesOutput(dates),
    ...(filters === undefined ? {} : { filters: filters.output }),
    corrections: keywords.corrections,
    results,
    ...(report === undefined ? {} : { rerank: report }),
    matches: keywords.matches,
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

/** A query as it is searched, and how its words are read. */
interface ReadQuery extends QueryReading {
  readonly query: LexicalQuery;
  readonly dates: DatedNotes | undefined;
  /** Whether there are notes of the date that it asks about; without any, the date is searched as words. */
  readonly isDated: boolean;
}

async function readQuery(
  index: MemoryIndex,
  request: SearchRequest,
  { nowMs, timeZone }: SearchOptions,
): Promise<ReadQuery> {
  const { tokenizer } = await index.identity();
  const { chunks } = await index.termStatistics([]);
  const date = await dateIn(request.query, nowMs, timeZone);
  const dates = date === undefined ? undefined : await findDatedNotes(date, index);
  const isDated = date !== undefined && dates !== undefined && dates.chunks > 0;
  const languages = tokenizer === 'trigram' ? [] : await index.languages();
  const words = isDated ? date.words : request.query;
  const parsed = parseQuery(words, tokenizer, { hasDate: isDated, languages });
  const bounded = withoutShortPrefixes(parsed, chunks);
  // Trigrams already match parts of words.
  const isUnfinished = request.unfinished === true && tokenizer !== 'trigram';
  const query = isUnfinished
    ? await withUnfinishedWord(index, bounded, words, { languages, chunks })
    : bounded;
  return { query, tokenizer, languages, dates, isDated };
}

/**
 * The query with its last word also as a prefix, as if `word*` was typed. The prefix replaces an unknown word and is
 * added to a known one, so that passages with the word itself are first. A prefix without a match changes nothing: the
 * word is corrected like any other.
 *
 * @param text the words of the query as typed
 * @param chunks how many the index has
 */
export async function withUnfinishedWord(
  index: MemoryIndex,
  query: LexicalQuery,
  text: string,
  { languages, chunks }: { readonly languages: readonly Language[]; readonly chunks: number },
): Promise<LexicalQuery> {
  const last = query.terms.findLast(({ word }) => word !== undefined);
  // After a blank or a quote, the word is finished; a stop word is not a term.
  if (last?.word === undefined || !text.normalize('NFC').endsWith(last.word)) return query;
  // Checked before counting its matches, which takes longest for the shortest prefixes.
  if ([...last.word].length < shortestPrefix(chunks)) return query;
  const prefix = prefixTerm(last.word, languages);
  const { frequencies } = await index.termStatistics([last.match, prefix.match]);
  const [asWord = 0, asPrefix = 0] = frequencies;
  if (asPrefix <= asWord) return query;
  const terms = query.terms.flatMap((term) => {
    if (term !== last) return [term];
    return asWord === 0 ? [prefix] : [term, prefix];
  });
  return { ...query, terms };
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
  findings: Findings,
  { reranking, ...input }: Omit<RerankInput, 'reranking'> & Pick<SearchOptions, 'reranking'>,
): Promise<{ readonly findings: Findings; readonly report?: RerankReport }> {
  if (reranking === undefined) return { findings };
  const { rerankFindings } = await import('./rerank-findings.js');
  return rerankFindings(findings, { reranking, ...input });
}

/** Starts embedding the query, so that the provider works during the keyword search. */
async function embedQuery(
  index: MemoryIndex,
  { query, lexicalOnly }: SearchRequest,
  {
    embedder,
    warnings,
    signal,
  }: Pick<SearchOptions, 'embedder'> & {
    readonly warnings: Warning[];
    readonly signal: AbortSignal | undefined;
  },
): Promise<QueryVector | undefined> {
  const isOff = lexicalOnly === true || query.trim() === '';
  return isOff ? undefined : embedder?.embed(query, index, warnings, signal);
}

export function candidateLimit(
  maxResults: number,
  { candidateMultiplier }: Pick<SearchOptions, 'candidateMultiplier'>,
): number {
  const wanted = Math.max(MIN_CANDIDATES, Math.floor(maxResults * candidateMultiplier));
  return Math.min(wanted, Math.max(MAX_CANDIDATES, maxResults));
}

function datesOutput({ text, days, chunks }: DatedNotes): SearchResponse['dates'] {
  return { text, from: isoDay(days.first), to: isoDay(days.last), passages: chunks };
}
