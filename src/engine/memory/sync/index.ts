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
export type { IndexLock, KeptConnections, LockHolder } from './index-lock.js';
export {
  isRacy,
  isSameTree,
  isUpToDate,
  pendingChanges,
  planChanges,
  rebuildNeeded,
  type SyncPlan,
  snapshotOf,
  type TreeSnapshot,
} from './plan-changes.js';
export type { SyncTarget } from './sync-index.js';
export {
  embeddingWarnings,
  linkWarnings,
  notesOutside,
  outsideWarning,
  rebuiltWarning,
  staleWarning,
  stopIfInterrupted,
  syncWarnings,
  updatingWarning,
} from './sync-warnings.js';
