import { existsSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { abortableSleep, closing, NEVER } from '../support/async.js';
import { makeFolders } from '../support/files.js';
import { runningMs } from '../support/time.js';
import {
  type Connection,
  createDatabase,
  databaseFault,
  isSqliteError,
  openDatabase,
} from './database.js';

interface LockWait {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds; 0 tries once. As long as needed when left out. */
  readonly waitMs?: number | undefined;
  /** Called once if another process has the lock and it is waited for. @param lock to read what `sign` wrote */
  readonly onWait?: ((lock: Connection) => void) | undefined;
  /** Writes into the database who is about to have the lock. */
  readonly sign?: ((lock: Connection) => void) | undefined;
}

export interface ProcessLockOptions {
  readonly signal: AbortSignal;
  /** Called once if another process has the lock. */
  readonly onWait?: (() => void) | undefined;
}

/** What only one process at a time has, until it is released. */
export interface ProcessLock {
  release(): void;
}

/** Delays between tries; short at first, because most work takes a few milliseconds. */
const RETRY_MS = { first: 5, longest: 50 };

/**
 * Takes a lock. It is an open transaction on an empty database: the operating system releases it when the process
 * dies, so that it is never stale.
 *
 * @param file absolute path of the lock file, which remains, empty
 * @returns undefined when another process had it for all of `waitMs`
 * @throws the signal's reason; the error of the file system or SQLite if the file cannot be created
 */
export async function acquireProcessLock(
  file: string,
  { signal = NEVER, waitMs = Number.POSITIVE_INFINITY, onWait, sign }: LockWait,
): Promise<ProcessLock | undefined> {
  const database = openLock(file);
  const deadline = runningMs() + waitMs;
  let pauseMs = RETRY_MS.first;
  try {
    for (let tries = 1; !tryLock(database, sign); tries++) {
      // Before checking the deadline: on a busy machine the first try may have taken all the time.
      if (tries === 1 && waitMs > 0) onWait?.(database);
      if (runningMs() >= deadline) {
        database.close();
        return undefined;
      }
      await abortableSleep(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, RETRY_MS.longest);
    }
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs work and releases its lock. @param refusal what to throw if another process had the lock all the time */
export async function whileLocked<T>(
  lock: ProcessLock | undefined,
  refusal: () => Error,
  work: () => T | Promise<T>,
): Promise<T> {
  if (lock === undefined) throw refusal();
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Runs work that only one process can do at a time, waiting as long as needed; see {@link acquireProcessLock}. */
export async function withProcessLock<T>(
  file: string,
  options: ProcessLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const { signal, onWait } = options;
  const lock = await acquireProcessLock(file, { signal, onWait: () => onWait?.() });
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    lock?.release();
  }
}

/** Runs the work at once, or not at all if another process has the lock. */
export function tryProcessLock(file: string, work: () => void): void {
  using database = closing(openLock(file));
  if (tryLock(database)) work();
}

/**
 * Whether any process has the lock now. Changes nothing, and takes the lock only for the moment of the check.
 */
export function isProcessLockHeld(file: string): boolean {
  if (!existsSync(file)) return false;
  using database = closing(
    namingFile(file, () => openDatabase(file, { readonly: false, busyTimeoutMs: 0 })),
  );
  try {
    database.exec('BEGIN IMMEDIATE');
    return false;
  } catch (error) {
    // A file that this user cannot write is not evidence of a lock.
    return databaseFault(error) === 'busy';
  }
}

/** Opens the file and checks that it is a database, unless its holder prevents that. */
function openLock(file: string): Connection {
  makeFolders(dirname(file));
  return namingFile(file, () => {
    const database = createDatabase(file, 0);
    try {
      database.pragma('schema_version');
    } catch (error) {
      const fault = databaseFault(error);
      // Something else was written into the file. An empty file is a valid database again, and locks stay held: they
      // belong to the file, not its content.
      if (fault === 'corrupt') truncateSync(file);
      else if (fault !== 'busy') {
        database.close();
        throw error;
      }
    }
    return database;
  });
}

/** Adds the file to the message of an error: SQLite does not name it, and nobody expects a lock to fail. */
function namingFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isSqliteError(error)) error.message = `${file}: ${error.message}`;
    throw error;
  }
}

function tryLock(database: Connection, sign?: LockWait['sign']): boolean {
  const begin = (kind: 'EXCLUSIVE' | 'IMMEDIATE') =>
    unlessBusy(database, () => database.exec(`BEGIN ${kind}`));
  return namingFile(database.name, () => {
    // What was signed must be readable.
    if (sign !== undefined) return unlessBusy(database, () => sign(database)) && begin('IMMEDIATE');
    // Who can only read the file would get any other lock as well. But an exclusive one is refused while anybody reads,
    // also to check or try the lock: of several that try at the same moment, none would get it.
    return begin('EXCLUSIVE') || begin('IMMEDIATE');
  });
}

/** @returns false, and nothing is left open, if another connection has a lock that the work needs */
function unlessBusy(database: Connection, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    if (databaseFault(error) === 'busy') return false;
    throw error;
  }
}
