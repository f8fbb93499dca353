import { SvcError } from '../../errors/index.js';
import { type Connection, databaseFault } from '../../sqlite/database.js';
import { acquireProcessLock, type ProcessLock, whileLocked } from '../../sqlite/process-lock.js';
import { queryRow, runSql } from '../../sqlite/query.js';
import { asIndexError } from '../index/index.js';
import { INDEX_LOCK_WAIT_MS, type LockHolder } from './events.js';

export interface LockOptions {
  readonly nowMs: number;
  /** 0 tries once; {@link INDEX_LOCK_WAIT_MS} by default. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once when waiting starts, if it does. */
  readonly onWait?: ((holder: LockHolder | undefined) => void) | undefined;
}

/**
 * Acquires the right to write an index, as a lock next to it.
 *
 * @returns undefined when another process held it for all of `waitMs`
 * @throws SvcError INDEX_UNWRITABLE when the folder is not writable
 */
export async function acquireIndexLock(
  indexFile: string,
  { nowMs, waitMs = INDEX_LOCK_WAIT_MS, signal, onWait }: LockOptions,
): Promise<ProcessLock | undefined> {
  const sign = (lock: Connection): void => {
    // Not when opening: this pragma reads, and may have to wait too.
    lock.pragma('synchronous = OFF');
    lock.exec('BEGIN IMMEDIATE');
    lock.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, since_ms INTEGER)');
    lock.exec('DELETE FROM holder');
    runSql(lock, 'INSERT INTO holder VALUES (?, ?)', process.pid, nowMs);
    // Others can only read committed data, so the lock itself is the next transaction.
    lock.exec('COMMIT');
  };
  try {
    return await acquireProcessLock(lockFile(indexFile), {
      signal,
      waitMs,
      sign,
      onWait: (lock) => onWait?.(readHolder(lock)),
    });
  } catch (error) {
    if (signal?.aborted === true) throw new SvcError('INTERRUPTED', 'stopped waiting');
    throw asIndexError(error, indexFile);
  }
}

/**
 * Runs work while holding the index lock.
 *
 * @throws SvcError INDEX_LOCKED when another process held the lock for all of `waitMs`; file system and
 *   SQLite errors as from {@link asIndexError}
 */
export async function withIndexLock<T>(
  indexFile: string,
  options: LockOptions,
  work: () => T | Promise<T>,
): Promise<T> {
  const lock = await acquireIndexLock(indexFile, options);
  const refusal = () =>
    new SvcError('INDEX_LOCKED', `another process is writing ${indexFile}`, {
      hint: 'wait for it to finish and try again',
    });
  return whileLocked(lock, refusal, async () => {
    try {
      return await work();
    } catch (error) {
      throw asIndexError(error, indexFile);
    }
  });
}

export function lockFile(indexFile: string): string {
  return `${indexFile}.lock`;
}

function readHolder(database: Connection): LockHolder | undefined {
  try {
    return queryRow(database, 'SELECT pid, since_ms AS sinceMs FROM holder LIMIT 1');
  } catch (error) {
    if (databaseFault(error) !== 'busy' && !String(error).includes('no such table')) throw error;
    return undefined;
  }
}
