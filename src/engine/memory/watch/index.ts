/*
 * Keeps an index fresh while a process runs. Loaded by name:
 *   memory-watcher.ts: the watcher
 */

export type { MemoryWatcher } from './memory-watcher.js';
export {
  type WatchEvent,
  type WatchFailure,
  type WatchTarget,
  watchTargetOf,
} from './watch-events.js';
