import { uniqueBy } from '../../support/lists.js';
import { createTermMatcher, type TermMatcher } from './term-matcher.js';
import type { Reading } from './terms.js';
import { phraseTerm } from './terms.js';
import type { SearchResult } from './types.js';

/** Finds what search highlighted in a result in another text, in all its forms; each word is a term. */
export function highlightMatcher(
  { snippet, highlights }: Pick<SearchResult, 'highlights' | 'snippet'>,
  reading: Reading,
): TermMatcher {
  const texts = highlights.map(({ start, end }) => snippet.slice(start, end));
  const terms = texts.flatMap((text) => phraseTerm(text, reading) ?? []);
  const distinct = uniqueBy(terms, ({ forms: [form] }) => form?.stems.join(' '));
  if (distinct.length > 0) return createTermMatcher(distinct, reading.tokenizer);
  // Symbols are searched for literally.
  return createTermMatcher(
    [...new Set(texts)].map((text) => ({ match: `"${text}"`, forms: [] })),
    'trigram',
  );
}
