import { statSync } from 'node:fs';
import type { Clock } from '../../context.js';
import { SvcError } from '../../errors/index.js';
import type { ResetResult } from '../backends/memory-backend.js';
import { asIndexError } from '../index/database.js';
import { removeIndexFiles, removeStrayBuilds } from './build-file.js';
import { acquireIndexLock } from './index-lock.js';

const LOCK_WAIT_MS = 5000;

/**
 * Deletes an index and what a dead build left beside it, while nobody writes it.
 *
 * @throws SvcError INDEX_LOCKED, INDEX_UNWRITABLE
 */
export async function resetIndex(indexFile: string, clock: Clock): Promise<ResetResult> {
  const size = statSync(indexFile, { throwIfNoEntry: false })?.size;
  const lock = await acquireIndexLock(indexFile, {
    pid: process.pid,
    nowMs: clock.now(),
    waitMs: LOCK_WAIT_MS,
  });
  if (lock === undefined) {
    throw new SvcError('INDEX_LOCKED', `another process is writing ${indexFile}`, {
      hint: 'wait for it to finish and try again',
    });
  }
  try {
    removeIndexFiles(indexFile);
    removeStrayBuilds(indexFile);
    return { deleted: size !== undefined, bytes: size ?? 0 };
  } catch (error) {
    throw asIndexError(error, indexFile);
  } finally {
    lock.release();
  }
}
