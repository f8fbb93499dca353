import type { Warning } from '../../errors/index.js';
import type { Source } from '../types.js';
import type { LexicalQuery } from './query.js';
import type { SearchRequest } from './types.js';

/** A source that is asked for and not searched would be an answer of nothing without a reason. */
export function sourceWarnings(
  { sources: asked = [] }: SearchRequest,
  searched: readonly Source[] | undefined,
): Warning[] {
  const off = asked.filter((source) => searched?.includes(source) === false);
  return off.map((source) => {
    const words = source === 'sessions' ? 'session transcripts' : 'memory files';
    const mend =
      source === 'sessions'
        ? 'set memorySearch.experimental.sessionMemory to true, and name "sessions" in memorySearch.sources'
        : 'name "memory" in memorySearch.sources';
    return { code: 'SOURCE_OFF', message: `${words} are not searched`, hint: mend };
  });
}

/** What of a query was not searched for. */
export function queryWarnings(query: LexicalQuery): Warning[] {
  const warnings: Warning[] = [];
  if (query.terms.length + query.required.length === 0 && query.literal === undefined) {
    warnings.push({ code: 'QUERY_EMPTY', message: 'the query holds nothing to search for' });
  }
  if (query.shortened) {
    warnings.push({
      code: 'QUERY_SHORTENED',
      message: `the query is long; its first ${query.terms.length} terms were searched for`,
    });
  }
  return warnings;
}
