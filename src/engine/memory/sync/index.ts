/*
 * Finds changes and updates an index. Loaded by name:
 *   index-lock.ts: the right to write an index
 *   watch-record.ts: the process that keeps an index fresh
 *   fill-index.ts: reading what changed into an index
 */

export {
  INDEX_LOCK_WAIT_MS,
  type LockHolder,
  type RebuildReason,
  type SyncEvent,
  type SyncRequest,
  type SyncSummary,
  type WorkOptions,
} from './events.js';
export type { SyncOptions, SyncRun, SyncTarget } from './fill-index.js';
export {
  isRacy,
  isSameTree,
  isUpToDate,
  pendingChanges,
  planChanges,
  type Rebuild,
  racyForMs,
  rebuildNeeded,
  rebuildOf,
  type SyncPlan,
  snapshotOf,
} from './plan-changes.js';
export {
  embeddingWarnings,
  emptyMemoryWarning,
  excludesEverythingWarning,
  notesOutsideText,
  placeWarnings,
  rebuiltWarning,
  staleWarning,
  stopIfInterrupted,
  syncWarnings,
  updatingWarning,
} from './sync-warnings.js';
