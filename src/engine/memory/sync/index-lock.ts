import { SvcError } from '../../errors/index.js';
import { type Connection, databaseFault } from '../../sqlite/database.js';
import {
  acquireProcessLock,
  isProcessLockHeld,
  type ProcessLock,
} from '../../sqlite/process-lock.js';
import { queryRow, runSql } from '../../sqlite/query.js';
import { unlessSystemError } from '../../support/files.js';
import { asIndexError } from '../index/index.js';
import { INDEX_LOCK_WAIT_MS, type LockHolder } from './events.js';
import type { SyncRun } from './fill-index.js';

/**
 * What a lock of an index is for: `content` to mirror files and to replace the index, `vectors` to embed its passages,
 * which may take hours in which files change. Replacing needs both, since vectors would be stored in what is replaced.
 * Whoever has `content` never waits for `vectors`, so that others can mirror files and forget meanwhile.
 */
export type LockedPart = 'content' | 'vectors';

export interface LockOptions {
  /** `content` by default. */
  readonly part?: LockedPart | undefined;
  readonly nowMs: number;
  /** 0 tries once; {@link INDEX_LOCK_WAIT_MS} by default. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once for each lock when waiting for it starts, if it does. */
  readonly onWait?: ((holder: LockHolder | undefined, part: LockedPart) => void) | undefined;
}

/** How a sync waits for a lock. */
export function syncLock({
  options: { clock, lockWaitMs, signal },
  onEvent,
}: Pick<SyncRun, 'onEvent' | 'options'>): LockOptions {
  const onWait: LockOptions['onWait'] = (holder, part) => {
    onEvent({ type: 'lock.waiting', holder, ...(part === 'vectors' && { part }) });
  };
  return { nowMs: clock.now(), waitMs: lockWaitMs, signal, onWait };
}

/**
 * Acquires the right to write an index, as a lock next to it.
 *
 * @returns undefined when another process held it for all of `waitMs`
 * @throws SvcError INDEX_UNWRITABLE when the folder is not writable
 */
export async function acquireIndexLock(
  indexFile: string,
  { part = 'content', nowMs, waitMs = INDEX_LOCK_WAIT_MS, signal, onWait }: LockOptions,
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
    return await acquireProcessLock(lockFile(indexFile, part), {
      signal,
      waitMs,
      sign,
      onWait: (lock) => onWait?.(readHolder(lock), part),
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
  let who = 'another process';
  const onWait: LockOptions['onWait'] = (holder, part) => {
    if (holder !== undefined) who = `another process (pid ${holder.pid})`;
    options.onWait?.(holder, part);
  };
  const lock = { ...options, onWait };
  const done = await tryIndexLock(indexFile, lock, async () => ({ result: await work() }));
  if (done !== undefined) return done.result;
  // Embedding may take hours.
  const [does, hint] =
    options.part === 'vectors'
      ? ['embedding the passages of', 'wait for it to finish, or stop it, and try again']
      : ['writing', 'wait for it to finish and try again'];
  throw new SvcError('INDEX_LOCKED', `${who} is ${does} ${indexFile}`, { hint });
}

/** Like {@link withIndexLock}. @returns undefined when another process held the lock for all of `waitMs` */
export async function tryIndexLock<T>(
  indexFile: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const lock = await acquireIndexLock(indexFile, options);
  if (lock === undefined) return undefined;
  try {
    return await work();
  } catch (error) {
    throw asIndexError(error, indexFile);
  } finally {
    lock.release();
  }
}

/** Runs work while nobody else writes an index, nor embeds its passages. @throws SvcError as {@link withIndexLock} */
export async function withWholeIndexLock<T>(
  indexFile: string,
  options: LockOptions,
  work: () => T | Promise<T>,
): Promise<T> {
  return withIndexLock(indexFile, { ...options, part: 'vectors' }, () =>
    withIndexLock(indexFile, options, work),
  );
}

/** Whether a process embeds passages of an index now; false if this user may not know. */
export function isBeingEmbedded(indexFile: string): boolean {
  const file = lockFile(indexFile, 'vectors');
  return unlessSystemError(() => isProcessLockHeld(file)) === true;
}

export function lockFile(indexFile: string, part: LockedPart = 'content'): string {
  return part === 'content' ? `${indexFile}.lock` : `${indexFile}.vectors.lock`;
}

function readHolder(database: Connection): LockHolder | undefined {
  try {
    return queryRow(database, 'SELECT pid, since_ms AS sinceMs FROM holder LIMIT 1');
  } catch (error) {
    if (databaseFault(error) !== 'busy' && !String(error).includes('no such table')) throw error;
    return undefined;
  }
}
