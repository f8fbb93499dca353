import { existsSync, rmSync } from 'node:fs';
import { acquireProcessLock, isProcessLockHeld } from '../../sqlite/process-lock.js';
import { PRIVATE_MODE, unlessSystemError } from '../../support/files.js';
import { readJsonFile } from '../../support/json-file.js';
import { replaceFile } from '../../support/replace-file.js';
import { isRecord } from '../../support/text.js';
import { iso } from '../../support/time.js';
import { lockFile } from './index-lock.js';

/** How a running watcher keeps an index fresh, for `svc memory status`. */
export type WatchRecord = NonNullable<ReturnType<typeof watchRecordOf>>;

export type WatchRecorder = Awaited<ReturnType<typeof openWatchRecord>>;

/** Longer than `svc memory status` needs to check the lock. */
const LOCK_WAIT_MS = 500;

/**
 * Records next to an index that a process keeps it fresh: a lock, which the operating system releases with
 * its holder, shows that the process is alive, and a small file how it works. Both are optional: if they
 * cannot be written, nothing is recorded. Of two watchers of one index, the first is recorded.
 */
export async function openWatchRecord(indexFile: string, sinceMs: number) {
  const base = baseOf(indexFile);
  const wait = { waitMs: LOCK_WAIT_MS };
  let lock = await acquireProcessLock(lockFile(base), wait).catch(() => undefined);
  return {
    write: (state: { readonly mode: WatchRecord['mode']; readonly why?: string }): void => {
      if (lock === undefined) return;
      const record = { pid: process.pid, sinceMs, ...state };
      unlessSystemError(() =>
        replaceFile(recordFile(base), `${JSON.stringify(record)}\n`, PRIVATE_MODE),
      );
    },
    close: (): void => {
      const held = lock;
      if (held === undefined) return;
      lock = undefined;
      unlessSystemError(() => rmSync(recordFile(base), { force: true }));
      unlessSystemError(() => held.release());
    },
  };
}

/** The process that keeps an index fresh; null if there is none, or that is unknown. */
export function readWatchRecord(indexFile: string): WatchRecord | null {
  const base = baseOf(indexFile);
  // If the lock is free, its writer died.
  const isHeld =
    existsSync(recordFile(base)) && unlessSystemError(() => isProcessLockHeld(lockFile(base)));
  return isHeld ? watchRecordOf(readJsonFile(recordFile(base))) : null;
}

function watchRecordOf(value: unknown) {
  if (!isRecord(value)) return null;
  const { pid, sinceMs, mode, why } = value;
  if (typeof pid !== 'number' || typeof sinceMs !== 'number') return null;
  if (mode !== 'watching' && mode !== 'polling' && mode !== 'interval') return null;
  return { pid, since: iso(sinceMs), mode, why: typeof why === 'string' ? why : null } as const;
}

function baseOf(indexFile: string): string {
  return `${indexFile}.watch`;
}

function recordFile(base: string): string {
  return `${base}.json`;
}
