import type { Clock } from '../../context.js';
import type { ResetResult } from '../backends/memory-backend.js';
import { statIndex } from '../index/stat-index.js';
import { removeIndexFiles, removeStrayBuilds } from './build-file.js';
import { withIndexLock } from './index-lock.js';

const LOCK_WAIT_MS = 5000;

/**
 * Deletes an index and what a dead build left beside it, while nobody writes it.
 *
 * @throws SvcError INDEX_LOCKED, INDEX_UNWRITABLE
 */
export async function resetIndex(indexFile: string, clock: Clock): Promise<ResetResult> {
  const size = statIndex(indexFile)?.size;
  const lock = { pid: process.pid, nowMs: clock.now(), waitMs: LOCK_WAIT_MS };
  return withIndexLock(indexFile, lock, () => {
    removeIndexFiles(indexFile);
    removeStrayBuilds(indexFile);
    return { deleted: size !== undefined, bytes: size ?? 0 };
  });
}
