import { mkdirSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../errors/index.js';
import { type Connection, createDatabase, databaseFault } from '../../sqlite/database.js';
import { runningMs } from '../../support/time.js';
import {
  asIndexError,
  isDamage,
  type OpenedIndex,
  openIndex,
  type SqliteIndex,
  type VectorSettings,
} from '../index/index.js';

/** The process that is writing an index. */
export interface LockHolder {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** The right to write an index, until released. */
export interface IndexLock {
  release(): void;
}

export interface LockOptions {
  readonly pid: number;
  readonly nowMs: number;
  /** 0 tries once. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once when waiting starts, if it does. */
  readonly onWait?: ((holder: LockHolder | undefined) => void) | undefined;
  /** Defaults to a new connection. */
  readonly connections?: LockConnections | undefined;
}

/** Provides connections to lock files. */
export interface LockConnections {
  openLock(file: string, open: (file: string) => Connection): Connection;
  /** Releases the lock. */
  releaseLock(database: Connection): void;
}

/** Delays between tries; short at first, because most syncs take a few milliseconds. */
const RETRY_MS = { first: 5, longest: 50 };

/**
 * Acquires the right to write an index. The lock is an open transaction on a separate database next to the
 * index: the operating system releases it when its holder dies, so it is never stale and no process id has to
 * be checked.
 *
 * @returns undefined when another process held it for all of `waitMs`
 * @throws SvcError INDEX_UNWRITABLE when the folder is not writable
 */
export async function acquireIndexLock(
  indexFile: string,
  options: LockOptions,
): Promise<IndexLock | undefined> {
  const file = lockFile(indexFile);
  const connections = options.connections ?? openedAnew;
  const database = openLock(indexFile, file, connections);
  const deadline = runningMs() + options.waitMs;
  let waited = false;
  let pauseMs = RETRY_MS.first;
  try {
    while (!tryLock(database, options)) {
      // Before checking the deadline: on a busy machine the first try may have taken all the time.
      if (!waited && options.waitMs > 0) options.onWait?.(readHolder(database));
      waited = true;
      if (runningMs() >= deadline) {
        connections.releaseLock(database);
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
    connections.releaseLock(database);
    if (options.signal?.aborted === true) throw new SvcError('INTERRUPTED', 'stopped waiting');
    throw asIndexError(error, file);
  }
  return { release: () => connections.releaseLock(database) };
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

function openLock(indexFile: string, file: string, connections: LockConnections): Connection {
  try {
    mkdirSync(dirname(indexFile), { recursive: true, mode: 0o700 });
    try {
      return connections.openLock(file, openLockFile);
    } catch (error) {
      if (!isDamage(error)) throw error;
      // Truncated in place it is a valid database again. Locks stay held: they belong to the file, not its
      // content.
      truncateSync(file);
      return connections.openLock(file, openLockFile);
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
    database.prepare('INSERT INTO holder VALUES (?, ?)').run(options.pid, options.nowMs);
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
    return database
      .prepare<[], LockHolder>('SELECT pid, since_ms AS sinceMs FROM holder LIMIT 1')
      .get();
  } catch (error) {
    if (databaseFault(error) !== 'busy' && !String(error).includes('no such table')) throw error;
    return undefined;
  }
}

/** Provides a sync's connections, and takes them back. */
export interface SyncConnections extends LockConnections {
  openIndex(file: string, vectors: VectorSettings): OpenedIndex;
  releaseIndex(index: SqliteIndex): void;
  /** Closes it: the file is about to be replaced, or something is wrong with it. */
  discardIndex(index: SqliteIndex): void;
}

/** Opened for one sync and closed after it. */
export const openedAnew: SyncConnections = {
  openIndex: (file, vectors) => openIndex(file, 'write', vectors),
  releaseIndex: (index) => index.close(),
  discardIndex: (index) => index.close(),
  openLock: (file, open) => open(file),
  releaseLock: (database) => database.close(),
};

interface Kept<T> {
  readonly file: string;
  readonly inode: number | undefined;
  readonly value: T;
}

/**
 * Keeps the connections of one index open between syncs, for processes that sync often. The lock is still released
 * after each sync.
 */
export class KeptConnections implements SyncConnections {
  private index: Kept<{ readonly index: SqliteIndex; readonly opened: OpenedIndex }> | undefined;
  private lock: Kept<Connection> | undefined;

  openIndex(file: string, vectors: VectorSettings): OpenedIndex {
    const kept = this.index;
    if (kept !== undefined && isStill(kept, file) && kept.value.index.isCurrent()) {
      return kept.value.opened;
    }
    this.closeIndex();
    const inode = inodeOf(file);
    const opened = openIndex(file, 'write', vectors);
    if (opened.state === 'ready') {
      this.index = { file, inode, value: { index: opened.index, opened } };
    }
    return opened;
  }

  releaseIndex(index: SqliteIndex): void {
    if (this.index?.value.index !== index) index.close();
  }

  discardIndex(index: SqliteIndex): void {
    if (this.index?.value.index === index) this.index = undefined;
    index.close();
  }

  openLock(file: string, open: (file: string) => Connection): Connection {
    if (this.lock !== undefined && isStill(this.lock, file)) return this.lock.value;
    this.closeLock();
    const value = open(file);
    this.lock = { file, inode: inodeOf(file), value };
    return value;
  }

  releaseLock(database: Connection): void {
    if (this.lock?.value !== database) {
      database.close();
      return;
    }
    try {
      if (database.inTransaction) database.exec('ROLLBACK');
    } catch {
      // Closing rolls back the transaction.
      this.closeLock();
    }
  }

  close(): void {
    this.closeIndex();
    this.closeLock();
  }

  private closeIndex(): void {
    this.index?.value.index.close();
    this.index = undefined;
  }

  private closeLock(): void {
    this.lock?.value.close();
    this.lock = undefined;
  }
}

/** Whether the path still leads to the file that was opened. */
function isStill(kept: Kept<unknown>, file: string): boolean {
  return kept.file === file && kept.inode !== undefined && kept.inode === inodeOf(file);
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
