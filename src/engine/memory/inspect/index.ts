/*
 * What the index has of a memory. Loaded by name:
 *   inspect-document.ts: chunks, facts and links of a file
 *   recent.ts: the files that changed last
 *   why-indexed.ts: why it has a file or not
 *   output-schemas.ts: the JSON documents, for tests and docs
 */

export type { DocumentLinks, InspectedDocument, Inspection } from './inspect-document.js';
export type { LinkMap } from './link-map.js';
export type { ListedDocument } from './recent.js';
