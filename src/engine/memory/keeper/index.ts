/* Keeps an index that mirrors the files of a memory. Loaded by name: sync-index.ts, a whole sync. */

export { IndexKeeper, type IndexKeeperOptions } from './index-keeper.js';
export type { KeptIndex } from './sync-index.js';
