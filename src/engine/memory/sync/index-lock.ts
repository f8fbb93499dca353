import { truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../errors/index.js';
import { type Connection, createDatabase, databaseFault } from '../../sqlite/database.js';
import { queryRow, runSql } from '../../sqlite/query.js';
import { makeFolders } from '../../support/files.js';
import { runningMs } from '../../support/time.js';
import { asIndexError, isDamage } from '../index/index.js';

/** The process that is writing an index. */
export interface LockHolder {
  readonly pid: number;
  readonly sinceMs: number;
}

/** The right to write an index, until released. */
export interface IndexLock {
  release(): void;
}

export interface LockOptions {
  readonly nowMs: number;
  /** 0 tries once. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once when waiting starts, if it does. */
  readonly onWait?: ((holder: LockHolder | undefined) => void) | undefined;
}

/** Delays between tries; short at first, because most syncs take a few milliseconds. */
const RETRY_MS = { first: 5, longest: 50 };

/**
 * Acquires the right to write an index. The lock is an open transaction on a separate database next to the index: the
 * operating system releases it when its holder dies, so it is never stale and no process id has to be checked.
 *
 * @returns undefined when another process held it for all of `waitMs`
 * @throws SvcError INDEX_UNWRITABLE when the folder is not writable
 */
export async function acquireIndexLock(
  indexFile: string,
  options: LockOptions,
): Promise<IndexLock | undefined> {
  const file = lockFile(indexFile);
  const database = openLock(indexFile, file);
  const deadline = runningMs() + options.waitMs;
  let waited = false;
  let pauseMs = RETRY_MS.first;
  try {
    while (!tryLock(database, options)) {
      // Before checking the deadline: on a busy machine the first try may have taken all the time.
      if (!waited && options.waitMs > 0) options.onWait?.(readHolder(database));
      waited = true;
      if (runningMs() >= deadline) {
        database.close();
        return undefined;
      }
      await sleep(
        pauseMs,
        undefined,
        options.signal === undefined ? {} : { signal: options.signal },
      );
      pauseMs = Math.min(pauseMs * 2, RETRY_MS.longest);
    }
  } catch (error) {
    database.close();
    if (options.signal?.aborted === true) throw new SvcError('INTERRUPTED', 'stopped waiting');
    throw asIndexError(error, file);
  }
  return { release: () => database.close() };
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
  if (lock === undefined) {
    throw new SvcError('INDEX_LOCKED', `another process is writing ${indexFile}`, {
      hint: 'wait for it to finish and try again',
    });
  }
  try {
    return await work();
  } catch (error) {
    throw asIndexError(error, indexFile);
  } finally {
    lock.release();
  }
}

export function lockFile(indexFile: string): string {
  return `${indexFile}.lock`;
}

function openLock(indexFile: string, file: string): Connection {
  try {
    makeFolders(dirname(indexFile));
    try {
      return openLockFile(file);
    } catch (error) {
      if (!isDamage(error)) throw error;
      // Truncated in place it is a valid database again. Locks stay held: they belong to the file, not its
      // content.
      truncateSync(file);
      return openLockFile(file);
    }
  } catch (error) {
    throw asIndexError(error, indexFile);
  }
}

/** Opens the file and checks that it is a database, unless its holder prevents that. */
function openLockFile(file: string): Connection {
  const database = createDatabase(file, 0);
  try {
    database.pragma('schema_version');
    return database;
  } catch (error) {
    // Another process is committing, so it has checked.
    if (databaseFault(error) === 'busy') return database;
    database.close();
    throw error;
  }
}

function tryLock(database: Connection, options: LockOptions): boolean {
  try {
    // Not when opening: this pragma reads, and may have to wait too.
    database.pragma('synchronous = OFF');
    database.exec('BEGIN IMMEDIATE');
    database.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, since_ms INTEGER)');
    database.exec('DELETE FROM holder');
    runSql(database, 'INSERT INTO holder VALUES (?, ?)', process.pid, options.nowMs);
    // Others can only read committed data, so the lock itself is the next transaction.
    database.exec('COMMIT');
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    if (databaseFault(error) === 'busy') return false;
    throw error;
  }
}

function readHolder(database: Connection): LockHolder | undefined {
  try {
    return queryRow(database, 'SELECT pid, since_ms AS sinceMs FROM holder LIMIT 1');
  } catch (error) {
    if (databaseFault(error) !== 'busy' && !String(error).includes('no such table')) throw error;
    return undefined;
  }
}
