/*
 * What the index has of a memory. Loaded by name:
 *   inspect-document.ts: chunks, facts and links of a file
 *   recent.ts: the files that changed last
 *   output-schemas.ts: the JSON documents, for tests and docs
 */

export type { DocumentLinks, InspectedDocument } from './inspect-document.js';
export type { LinkMap, Neighbour, ResolvedLink } from './link-map.js';
export type { RecentChanges } from './recent.js';

/** How many notes are shown that a search result is linked with. */
export const MOST_RELATED = 10;
