/*
 * Where the index of a memory is kept. Loaded by name:
 *   build-file.ts: building and deleting the file of an index
 *   mirror-file.ts: making the index of a file mirror the scanned files
 *   mirror-shared.ts: the same for an index on a server
 *   shared-forget-list.ts: the forget list on a server
 *   shared-home.ts: an index on a server
 */

export { createFileHome } from './file-home.js';
export type { IndexHome, OtherHosts, ResetResult } from './index-home.js';
export { type SharedPlace, sharedPlace } from './index-home.js';
export { linesOfChunks, turnsOfChunks } from './shared-text.js';
