import type { Warning } from '../../../errors/index.js';
import type { SearchRequest } from '../../search/types.js';
import type { ExtSettings } from './ext-settings.js';

/** Whether a question has anything in it that the program could look for. */
export function saysSomething({ query }: Pick<SearchRequest, 'query'>): boolean {
  return /[\p{L}\p{N}]/u.test(query);
}

/** What of a question the program was not asked. */
export function requestWarnings(
  request: SearchRequest,
  { sessions }: Pick<ExtSettings, 'sessions'>,
): readonly Warning[] {
  const warnings: Warning[] = [];
  if (!saysSomething(request)) {
    warnings.push({ code: 'QUERY_EMPTY', message: 'the query holds nothing to search for' });
  }
  if (request.sources?.includes('sessions') === true && !sessions.enabled) {
    warnings.push({
      code: 'SOURCE_OFF',
      message: 'conversations are not searched',
      hint: 'set memory.ext.sessions.enabled to true',
    });
  }
  return warnings;
}
