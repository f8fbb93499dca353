import { MIN_CANDIDATES } from '../../config/index.js';
import type { Warning } from '../../errors/index.js';
import { isoDay } from '../../support/day.js';
import { msSince, runningMs } from '../../support/time.js';
import type { QueryVector } from '../embedding/query-embedder.js';
import type { CandidateFilter, Language, MemoryIndex } from '../index/index.js';
import type { Source } from '../types.js';
import { shortestPrefix, withoutShortPrefixes } from './bounds.js';
import { combineScoresOrWarn } from './combine-scores.js';
import { type DatedNotes, dateIn, findDatedNotes } from './dates.js';
import type { ParsedFilters } from './filters.js';
import { findByWords, findLiterally } from './find-candidates.js';
import { type LexicalQuery, parseQuery } from './query.js';
import { resultsOf } from './results.js';
import { prefixTerm, readingOf } from './terms.js';
import type { SearchFilters, SearchOptions, SearchRequest, SearchResponse } from './types.js';

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
  // A query that is only a date has nothing to embed or to rerank by, and searches while typing must cost nothing.
  const isOnlyDate = isDated && dates?.isAlone === true;
  const asksProviders = !isOnlyDate && request.lexicalOnly !== true && request.query.trim() !== '';
  // Started here, so that the provider works during the keyword search.
  const embedding = asksProviders
    ? options.embedder?.embed(request.query, index, warnings, signal)
    : undefined;
  // Awaited later, so a rejection must not go unhandled until then.
  embedding?.catch(() => undefined);
  const reranking = asksProviders && request.rerank !== false ? options.reranking : undefined;
  const maxResults = request.maxResults ?? options.maxResults;
  const resultOptions = { ...options, days: isDated ? dates?.days : undefined };
  const searchAmong = async (
    limit: number,
    embedding: Promise<QueryVector | undefined> | undefined,
  ) => {
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
  const limit = candidateLimit(maxResults, options, reranking?.topN);
  const first = await searchAmong(limit, embedding);
  // Where passages that say the same took the places of candidates, more candidates are ranked, once.
  const isCrowded =
    limit < MAX_CANDIDATES &&
    first.keywords.candidates.length >= limit &&
    first.output.results.length < maxResults &&
    first.output.results.some(({ similarCount }) => similarCount !== undefined);
  // The warning about a vector that is not comparable with the index is not repeated.
  const comparable = first.findings.mode === 'lexical' ? undefined : embedding;
  const last = isCrowded ? await searchAmong(MAX_CANDIDATES, comparable) : first;
  const { keywords, vector, findings } = last;
  // Few searches are reranked.
  const reranked =
    reranking === undefined
      ? undefined
      : await (await import('./rerank-findings.js')).rerankFindings(findings, {
          query: request.query,
          reranking,
          warnings,
          signal,
        });
  const { results, belowMinScore } =
    reranked === undefined
      ? last.output
      : await resultsOf(reranked.findings, request, resultOptions, signal);
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
    ...(reranked === undefined ? {} : { rerank: reranked.report }),
    matches: keywords.matches,
    belowMinScore,
    searchMs: msSince(started),
    warnings: [
      ...options.warnings,
      ...warnings,
      ...sourceWarnings(request, options.sources),
      ...queryWarnings(query, isDated),
    ],
  };
}

/** A query as it is searched, and how its words are read. */
async function readQuery(
  index: MemoryIndex,
  request: SearchRequest,
  { nowMs, timeZone }: SearchOptions,
) {
  const { tokenizer, languages } = await readingOf(index);
  const { chunks } = await index.termStatistics([]);
  const date = await dateIn(request.query, nowMs, timeZone);
  const dates = date === undefined ? undefined : await findDatedNotes(date, index);
  // Without notes of the date, it is searched as words.
  const isDated = date !== undefined && dates !== undefined && dates.chunks > 0;
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

/** How many candidates are ranked. @param reranked how many the reranker gets */
export function candidateLimit(
  maxResults: number,
  { candidateMultiplier }: Pick<SearchOptions, 'candidateMultiplier'>,
  reranked = 0,
): number {
  const wanted = Math.max(MIN_CANDIDATES, Math.floor(maxResults * candidateMultiplier));
  return Math.max(reranked, Math.min(wanted, Math.max(MAX_CANDIDATES, maxResults)));
}

function datesOutput({ text, days, chunks }: DatedNotes): SearchResponse['dates'] {
  return { text, from: isoDay(days.first), to: isoDay(days.last), passages: chunks };
}

/** Which candidates a request keeps. @param searched the configured sources; undefined for all */
async function candidateFilter(
  request: SearchRequest,
  searched: readonly Source[] | undefined,
  filters: ParsedFilters | undefined,
): Promise<CandidateFilter> {
  const requested = request.sources;
  const sources = requested?.filter((source) => searched?.includes(source) ?? true) ?? searched;
  if (request.pathGlob === undefined) return { sources, ...filters?.filter };
  // Few searches use a pattern.
  const { createPathFilter } = await import('./path-glob.js');
  return { sources, path: createPathFilter(request.pathGlob), ...filters?.filter };
}

/** The filters of a request; undefined without any. Lazy, because few searches have some. */
async function readFilters(
  { filters }: SearchRequest,
  { nowMs, timeZone }: Pick<SearchOptions, 'nowMs' | 'timeZone'>,
): Promise<ParsedFilters | undefined> {
  if (filters === undefined || !hasFilters(filters)) return undefined;
  const { parseFilters } = await import('./filters.js');
  return parseFilters(filters, { nowMs, timeZone });
}

/** Whether any filter is set; an empty text is one, and refused where it is read. */
export function hasFilters(filters: SearchFilters = {}): boolean {
  const values: readonly (string | readonly string[] | undefined)[] = Object.values(filters);
  return values.some((value) => typeof value === 'string' || (value ?? []).length > 0);
}

/** How to have the built-in engine search conversations. */
const SESSIONS_HINT =
  'set memorySearch.experimental.sessionMemory to true, and add "sessions" to memorySearch.sources';

/** Warns about requested sources that are not searched, which would return nothing without a reason. */
export function sourceWarnings(
  { sources: requested = [] }: Pick<SearchRequest, 'sources'>,
  searched: readonly Source[] | undefined,
  sessionsHint = SESSIONS_HINT,
): Warning[] {
  const off = requested.filter((source) => searched?.includes(source) === false);
  return off.map((source) => {
    const words = source === 'sessions' ? 'session transcripts' : 'memory files';
    const hint = source === 'sessions' ? sessionsHint : 'add "memory" to memorySearch.sources';
    return { code: 'SOURCE_OFF', message: `${words} are not searched`, hint };
  });
}

/** As {@link sourceWarnings}, of the external program, which has a setting of its own for conversations. */
export function extSourceWarnings(
  request: Pick<SearchRequest, 'sources'>,
  sessions: { readonly enabled: boolean },
): Warning[] {
  const searched: readonly Source[] = sessions.enabled ? ['memory', 'sessions'] : ['memory'];
  return sourceWarnings(request, searched, 'set memory.ext.sessions.enabled to true');
}

/** Warns about ignored parts of a query. */
function queryWarnings(query: LexicalQuery, hasDate: boolean): Warning[] {
  const warnings: Warning[] = [];
  if (query.terms.length + query.required.length === 0 && query.literal === undefined && !hasDate) {
    warnings.push({ code: 'QUERY_EMPTY', message: 'the query contains nothing to search for' });
  }
  if (query.shortened) {
    warnings.push({
      code: 'QUERY_SHORTENED',
      message: 'the query is too long: only its beginning was searched',
    });
  }
  if (query.shortPrefixes.length > 0) {
    const beginnings = query.shortPrefixes.map((beginning) => `${beginning}*`).join(', ');
    warnings.push({
      code: 'BEGINNING_TOO_SHORT',
      message: `prefix too short for a memory of this size, searched as a whole word: ${beginnings}`,
      hint: 'use at least three letters before the *',
    });
  }
  return warnings;
}
