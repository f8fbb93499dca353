/*
 * Finds changes and updates an index. Loaded by name:
 *   index-lock.ts: the right to write an index
 *   watch-record.ts: the process that keeps an index fresh
 *   fill-index.ts: reading what changed into an index
 */

export * from './events.js';
export type { SyncOptions, SyncRun, SyncTarget } from './fill-index.js';
export {
  isRacy,
  isSameTree,
  mirrors,
  pendingChanges,
  planChanges,
  racyForMs,
  rebuildNeeded,
  rebuildOf,
  type SyncPlan,
  snapshotOf,
} from './plan-changes.js';
export * from './sync-warnings.js';
