/*
 * Finds changes and updates an index. Loaded by name:
 *   sync-index.ts: a whole sync
 *   index-lock.ts: the right to write an index
 *   build-file.ts: building and deleting an index
 */

export type {
  EmbeddingFailure,
  EmbeddingSummary,
  RebuildReason,
  SyncEvent,
  SyncSummary,
} from './events.js';
export type { SyncRun } from './fill-index.js';
export type { IndexLock, LockHolder } from './index-lock.js';
export {
  isRacy,
  isSameTree,
  isUpToDate,
  pendingChanges,
  planChanges,
  type Rebuild,
  rebuildNeeded,
  rebuildOf,
  type SyncPlan,
  snapshotOf,
} from './plan-changes.js';
export type { SyncTarget } from './sync-index.js';
export {
  embeddingWarnings,
  emptyMemoryWarning,
  excludesEverything,
  linkWarnings,
  notesOutside,
  rebuiltWarning,
  staleWarning,
  stopIfInterrupted,
  syncWarnings,
  updatingWarning,
} from './sync-warnings.js';
