/* Loaded only for queries that are still being typed. */
import type { Language, MemoryIndex } from '../index/index.js';
import { shortestBeginning } from './bounds.js';
import type { LexicalQuery } from './query.js';
import { prefixTerm } from './terms.js';

/**
 * The query with its last word also as a prefix, as `word*` is: instead of a word that the index does not have, and next
 * to one that it has, so that passages with the word itself are first. A prefix without a match changes nothing, so the
 * word is corrected as any other.
 *
 * @param text the words of the query as typed
 */
export async function withUnfinishedWord(
  index: MemoryIndex,
  query: LexicalQuery,
  text: string,
  languages: readonly Language[],
): Promise<LexicalQuery> {
  const last = query.terms.findLast(({ word }) => word !== undefined);
  // After a blank or a quote, the word is finished; a stop word is no term.
  if (last?.word === undefined || !text.endsWith(last.word)) return query;
  const prefix = prefixTerm(last.word, languages);
  const { chunks, frequencies } = await index.termStatistics([last.match, prefix.match]);
  const [asWord = 0, asPrefix = 0] = frequencies;
  if ([...last.word].length < shortestBeginning(chunks) || asPrefix <= asWord) return query;
  const terms = query.terms.flatMap((term) => {
    if (term !== last) return [term];
    return asWord === 0 ? [prefix] : [term, prefix];
  });
  return { ...query, terms };
}
