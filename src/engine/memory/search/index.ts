/*
 * From a query to results. Loaded by name, because few searches need it:
 *   filters.ts: --since, --where and the like
 *   path-glob.ts: --path, which an external program needs without the others
 *   query-line.ts: filters in the line of the search screen
 */

export {
  type CitationMode,
  documentName,
  formatCitation,
  type PageRange,
  type ParsedCitation,
  parseCitation,
  withSourceFooter,
} from './citation.js';
export { asksOnlyForDate, withoutDate } from './dates.js';
export { parseQuery } from './query.js';
export {
  candidateLimit,
  extSourceWarnings,
  hasFilters,
  searchIndex,
  sourceWarnings,
} from './search-index.js';
export { bestLineOf, highlightsOf } from './snippet.js';
export { createTermMatcher, highlightMatcher } from './term-matcher.js';
export { type QueryReading, readingOf } from './terms.js';
export type * from './types.js';
export type { TextSpan } from './words.js';
export { countWords, foldedWordsOf, foldWord, STOP_WORDS, stemOf, wordsOf } from './words.js';
