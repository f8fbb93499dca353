import type { MemoryIndex } from '../index/memory-index.js';
import type { SourceFile } from '../types.js';
import { planChanges, type SyncPlan } from './plan-changes.js';
import { isSameTree, snapshotOf } from './tree-snapshot.js';

/**
 * What a sync would have to do now. Nothing, at little cost, when the scan saw what the last sync
 * saw: a file that could not be read then is no news while it stays as it was.
 *
 * @param scannedMs when the scan began, in milliseconds since the epoch
 */
export async function pendingChanges(
  index: MemoryIndex,
  files: readonly SourceFile[],
  scannedMs: number,
): Promise<SyncPlan> {
  const before = (await index.syncMark()).tree;
  const now = before === undefined ? undefined : snapshotOf(files, scannedMs);
  if (before !== undefined && now !== undefined && isSameTree(before, now)) {
    return { read: [], remove: [], unchanged: files.length };
  }
  return planChanges(files, await index.documents());
}
