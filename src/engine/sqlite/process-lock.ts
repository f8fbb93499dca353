import { existsSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { abortableSleep } from '../support/async.js';
import { makeFolders } from '../support/files.js';
import {
  type Connection,
  createDatabase,
  databaseFault,
  isSqliteError,
  openDatabase,
} from './database.js';

export interface ProcessLockOptions {
  readonly signal: AbortSignal;
  /** Called once if another process has the lock. */
  readonly onWait?: (() => void) | undefined;
}

const RETRY_MS = 50;

/**
 * Runs work that only one process can do at a time, waiting as long as needed.
 *
 * The lock is an open transaction on an empty database: the operating system releases it when the process
 * dies, so that it is never stale.
 *
 * @param file absolute path of the lock file, which remains, empty
 * @throws the signal's reason; the error of the file system or SQLite if the file cannot be created
 */
export async function withProcessLock<T>(
  file: string,
  options: ProcessLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const database = openLock(file);
  try {
    for (let waits = 0; !tryLock(database); waits++) {
      if (waits === 0) options.onWait?.();
      await abortableSleep(RETRY_MS, options.signal);
    }
    options.signal.throwIfAborted();
    return await work();
  } finally {
    database.close();
  }
}

/** Runs the work at once, or not at all if another process has the lock. */
export function tryProcessLock(file: string, work: () => void): void {
  const database = openLock(file);
  try {
    if (tryLock(database)) work();
  } finally {
    database.close();
  }
}

/**
 * Whether any process has the lock now. Changes nothing, and takes the lock only for the moment of the check.
 */
export function isProcessLockHeld(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = openNamingFile(file, () =>
    openDatabase(file, { readonly: false, busyTimeoutMs: 0 }),
  );
  try {
    database.exec('BEGIN IMMEDIATE');
    return false;
  } catch (error) {
    // A file that this user cannot write is not evidence of a lock.
    return databaseFault(error) === 'busy';
  } finally {
    database.close();
  }
}

function openLock(file: string): Connection {
  makeFolders(dirname(file));
  return openNamingFile(file, () => createDatabase(file, 0));
}

function openNamingFile(file: string, open: () => Connection): Connection {
  try {
    return open();
  } catch (error) {
    throw withFileName(file, error);
  }
}

/** Adds the file to the message: SQLite does not name it, and nobody expects a lock to fail. */
function withFileName(file: string, error: unknown): unknown {
  if (isSqliteError(error)) error.message = `${file}: ${error.message}`;
  return error;
}

function tryLock(database: Connection): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    const fault = databaseFault(error);
    if (fault === 'busy') return false;
    if (fault !== 'corrupt') throw withFileName(database.name, error);
    // Something else was written into the file. An empty file is a valid database again.
    truncateSync(database.name);
    return false;
  }
}
