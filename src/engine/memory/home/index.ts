/*
 * Where the index of a memory is kept. Loaded by name:
 *   mirror-file.ts: making the index of a file mirror the scanned files
 */

export { FileHome } from './file-home.js';
export type { IndexHome, WritableIndex } from './index-home.js';
