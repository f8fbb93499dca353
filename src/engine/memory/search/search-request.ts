import type { Warning } from '../../errors/index.js';
import type { CandidateFilter } from '../index/index.js';
import type { Source } from '../types.js';
import type { ParsedFilters } from './filters.js';
import type { LexicalQuery } from './query.js';
import type { SearchFilters, SearchOptions, SearchRequest } from './types.js';

/** Which candidates a request keeps. @param searched the configured sources; undefined for all */
export async function candidateFilter(
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
export async function readFilters(
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

/** Warns about requested sources that are not searched, which would return nothing without a reason. */
export function sourceWarnings(
  { sources: requested = [] }: Pick<SearchRequest, 'sources'>,
  searched: readonly Source[] | undefined,
): Warning[] {
  const off = requested.filter((source) => searched?.includes(source) === false);
  return off.map((source) => {
    const words = source === 'sessions' ? 'session transcripts' : 'memory files';
    const hint =
      source === 'sessions'
        ? 'set memorySearch.experimental.sessionMemory to true, and add "sessions" to memorySearch.sources'
        : 'add "memory" to memorySearch.sources';
    return { code: 'SOURCE_OFF', message: `${words} are not searched`, hint };
  });
}

/** Warns about ignored parts of a query. */
export function queryWarnings(query: LexicalQuery, hasDate: boolean): Warning[] {
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
