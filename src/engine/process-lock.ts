import { existsSync, mkdirSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createDatabase, databaseFault, openDatabase } from './sqlite/database.js';

/** How a lock is waited for. */
export interface ProcessLockOptions {
  readonly signal: AbortSignal;
  /** Called once, when another process holds the lock and the waiting begins. */
  readonly onWait?: (() => void) | undefined;
}

const RETRY_MS = 50;

/**
 * Does work that only one process may do at a time, and waits for its turn however long it takes.
 *
 * The lock is an open transaction on an empty database: the operating system drops it when its
 * holder dies, however it dies, so it is never stale.
 *
 * @param file absolute path of the lock file; it stays behind, empty
 * @throws the signal's reason; what the file system or SQLite throws when the file cannot be made
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
      await pause(options.signal);
    }
    options.signal.throwIfAborted();
    return await work();
  } finally {
    database.close();
  }
}

/**
 * Whether somebody does the work that this lock is for, right now. Changes nothing, and holds the lock
 * itself for no longer than the look takes.
 */
export function isProcessLockHeld(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = openDatabase(file, { readonly: false, busyTimeoutMs: 0 });
  try {
    database.exec('BEGIN IMMEDIATE');
    return false;
  } catch (error) {
    // One that this user may not write tells nothing either.
    return databaseFault(error) === 'busy';
  } finally {
    database.close();
  }
}

function openLock(file: string): Connection {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return createDatabase(file, 0);
}

function tryLock(database: Connection): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    const fault = databaseFault(error);
    if (fault === 'busy') return false;
    if (fault !== 'corrupt') throw error;
    // Somebody wrote into it; emptied, it is a database again.
    truncateSync(database.name);
    return false;
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  try {
    await sleep(RETRY_MS, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
