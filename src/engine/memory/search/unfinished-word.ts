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
 * @param chunks how many the index has
 */
export async function withUnfinishedWord(
  index: MemoryIndex,
  query: LexicalQuery,
  text: string,
  { languages, chunks }: { readonly languages: readonly Language[]; readonly chunks: number },
): Promise<LexicalQuery> {
  const last = query.terms.findLast(({ word }) => word !== undefined);
  // After a blank or a quote, the word is finished; a stop word is no term.
  if (last?.word === undefined || !text.endsWith(last.word)) return query;
  // Before what it matches is counted, which takes longest for the shortest.
  if ([...last.word].length < shortestBeginning(chunks)) return query;
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
