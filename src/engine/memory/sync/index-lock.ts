import { mkdirSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../errors/index.js';
import { runningMs } from '../../running-ms.js';
import { type Connection, createDatabase, databaseFault } from '../../sqlite/database.js';
import { asIndexError, isDamage } from '../index/index-error.js';

/** Who writes an index right now. */
export interface LockHolder {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** The right to write an index, until released. */
export interface IndexLock {
  release(): void;
}

/** How to wait for the lock. */
export interface LockOptions {
  readonly pid: number;
  readonly nowMs: number;
  /** 0 means: try once. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once, when the waiting begins; never where there is none. */
  readonly onWait?: ((holder: LockHolder | undefined) => void) | undefined;
  /** Where the connection comes from; a new one when left out. */
  readonly connections?: LockConnections | undefined;
}

/** Lends connections to lock files. */
export interface LockConnections {
  openLock(file: string, open: (file: string) => Connection): Connection;
  /** Ends the lock. */
  releaseLock(database: Connection): void;
}

const OPENED_ANEW: LockConnections = {
  openLock: (file, open) => open(file),
  releaseLock: (database) => database.close(),
};

const RETRY_MS = 50;

/**
 * Takes the right to write the index at `indexFile`. The lock is an open transaction on a database
 * of its own beside the index: the operating system drops it when its holder dies, however it dies,
 * so it is never stale and nobody has to guess from a process id.
 *
 * @returns undefined when somebody else held it for all of `waitMs`
 * @throws SvcError INDEX_UNWRITABLE when the folder cannot be written
 */
export async function acquireIndexLock(
  indexFile: string,
  options: LockOptions,
): Promise<IndexLock | undefined> {
  const file = lockFile(indexFile);
  const connections = options.connections ?? OPENED_ANEW;
  const database = openLock(indexFile, file, connections);
  const deadline = runningMs() + options.waitMs;
  let waited = false;
  try {
    while (!tryLock(database, options)) {
      // Before the deadline is looked at: on a busy machine the first try may have taken all the time.
      if (!waited && options.waitMs > 0) options.onWait?.(readHolder(database));
      waited = true;
      if (runningMs() >= deadline) {
        connections.releaseLock(database);
        return undefined;
      }
      await sleep(
        RETRY_MS,
        undefined,
        options.signal === undefined ? {} : { signal: options.signal },
      );
    }
  } catch (error) {
    connections.releaseLock(database);
    if (options.signal?.aborted === true) throw new SvcError('INTERRUPTED', 'stopped waiting');
    throw asIndexError(error, file);
  }
  return { release: () => connections.releaseLock(database) };
}

/**
 * Does work that only one process may do at a time on the index at `indexFile`.
 *
 * @throws SvcError INDEX_LOCKED when somebody else held the lock for all of `waitMs`; failures of
 *   the file system or of SQLite as {@link asIndexError} tells them
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

/** Where the lock of an index lies. */
export function lockFile(indexFile: string): string {
  return `${indexFile}.lock`;
}

function openLock(indexFile: string, file: string, connections: LockConnections): Connection {
  try {
    mkdirSync(dirname(indexFile), { recursive: true, mode: 0o700 });
    try {
      return connections.openLock(file, openLockFile);
    } catch (error) {
      if (!isDamage(error)) throw error;
      // Emptied in place, it is a database again, and a lock that somebody holds on it stays one:
      // it belongs to the file, not to what is in it.
      truncateSync(file);
      return connections.openLock(file, openLockFile);
    }
  } catch (error) {
    throw asIndexError(error, indexFile);
  }
}

/** Opens it and sees that it is a database, as far as whoever holds it lets anybody see that. */
function openLockFile(file: string): Connection {
  const database = createDatabase(file, 0);
  try {
    database.pragma('schema_version');
    return database;
  } catch (error) {
    // A commit of another process is under way: that one has seen it.
    if (databaseFault(error) === 'busy') return database;
    database.close();
    throw error;
  }
}

function tryLock(database: Connection, options: LockOptions): boolean {
  try {
    // Here and not at opening: whoever sets it reads, and may have to wait as well.
    database.pragma('synchronous = OFF');
    database.exec('BEGIN IMMEDIATE');
    database.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, since_ms INTEGER)');
    database.exec('DELETE FROM holder');
    database.prepare('INSERT INTO holder VALUES (?, ?)').run(options.pid, options.nowMs);
    // Only what is committed can be read by those who wait; the lock itself is the next one.
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
    return database
      .prepare<[], LockHolder>('SELECT pid, since_ms AS sinceMs FROM holder LIMIT 1')
      .get();
  } catch (error) {
    if (databaseFault(error) !== 'busy' && !String(error).includes('no such table')) throw error;
    return undefined;
  }
}
