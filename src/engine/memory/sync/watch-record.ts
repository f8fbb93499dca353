import { existsSync, rmSync } from 'node:fs';
import { acquireProcessLock, isProcessLockHeld } from '../../sqlite/process-lock.js';
import { PRIVATE_MODE } from '../../support/files.js';
import { readJsonFile } from '../../support/json-file.js';
import { replaceFile } from '../../support/replace-file.js';
import { isRecord } from '../../support/text.js';
import { iso } from '../../support/time.js';
import { lockFile } from './index-lock.js';

/** How a running watcher keeps an index fresh, for `svc memory status`. */
export interface WatchRecord {
  readonly pid: number;
  readonly since: string;
  readonly mode: 'interval' | 'polling' | 'watching';
  /** Why it polls. */
  readonly why: string | null;
}

export interface WatchRecorder {
  write(state: { readonly mode: WatchRecord['mode']; readonly why?: string }): void;
  close(): void;
}

/** Longer than `svc memory status` needs to check the lock. */
const LOCK_WAIT_MS = 500;

/**
 * Records next to an index that a process keeps it fresh: a lock, which the operating system releases with
 * its holder, shows that the process is alive, and a small file how it works. Both are optional: if they
 * cannot be written, nothing is recorded. Of two watchers of one index, the first is recorded.
 */
export async function openWatchRecord(indexFile: string, sinceMs: number): Promise<WatchRecorder> {
  const base = baseOf(indexFile);
  const wait = { waitMs: LOCK_WAIT_MS };
  let lock = await acquireProcessLock(lockFile(base), wait).catch(() => undefined);
  return {
    write: (state) => {
      if (lock === undefined) return;
      const record = { pid: process.pid, sinceMs, ...state };
      quietly(() => replaceFile(recordFile(base), `${JSON.stringify(record)}\n`, PRIVATE_MODE));
    },
    close: () => {
      const held = lock;
      if (held === undefined) return;
      lock = undefined;
      quietly(() => rmSync(recordFile(base), { force: true }));
      quietly(() => held.release());
    },
  };
}

/** The process that keeps an index fresh; null if there is none, or that is unknown. */
export function readWatchRecord(indexFile: string): WatchRecord | null {
  const base = baseOf(indexFile);
  try {
    // If the lock is free, its writer died.
    if (!existsSync(recordFile(base)) || !isProcessLockHeld(lockFile(base))) return null;
    return watchRecordOf(readJsonFile(recordFile(base)));
  } catch {
    return null;
  }
}

function watchRecordOf(value: unknown): WatchRecord | null {
  if (!isRecord(value)) return null;
  const { pid, sinceMs, mode, why } = value;
  if (typeof pid !== 'number' || typeof sinceMs !== 'number') return null;
  if (mode !== 'watching' && mode !== 'polling' && mode !== 'interval') return null;
  return { pid, since: iso(sinceMs), mode, why: typeof why === 'string' ? why : null };
}

function baseOf(indexFile: string): string {
  return `${indexFile}.watch`;
}

function recordFile(base: string): string {
  return `${base}.json`;
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The record is optional.
  }
}
