import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TarFile } from './tar.js';

/** What is kept of one log: its end. */
const MAX_LOG_BYTES = 256 * 1024;
const MAX_LOGS = 3;
/** Longer names have no place in the archive, and no log of ours has one. */
const LOG_NAME = /^[\w.-]{1,64}$/u;

/**
 * The ends of the newest logs; none when there are none.
 *
 * @param logFile the log that the configuration names; undefined means those below the state folder
 */
export function recentLogs(stateDir: string, logFile: string | undefined): readonly TarFile[] {
  const dir = logFile === undefined ? join(stateDir, 'logs') : dirname(logFile);
  const stem = logFile === undefined ? '' : basename(logFile).replace(/\.[^.]*$/u, '');
  return filesOf(dir)
    .filter(({ path }) => basename(path).startsWith(stem))
    .toSorted((a, b) => b.changedMs - a.changedMs)
    .slice(0, MAX_LOGS)
    .flatMap(({ path }) => {
      const content = endOf(path);
      return content === undefined ? [] : [{ name: `logs/${basename(path)}`, content }];
    });
}

function filesOf(dir: string): readonly { readonly path: string; readonly changedMs: number }[] {
  try {
    return readdirSync(dir).flatMap((name) => {
      const path = join(dir, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      const isLog = LOG_NAME.test(name) && stats?.isFile() === true && !name.endsWith('.gz');
      return isLog ? [{ path, changedMs: stats.mtimeMs }] : [];
    });
  } catch {
    return [];
  }
}

/** Whole lines only: half a line may hold half a secret, which nobody knows for one. */
function endOf(path: string): Buffer | undefined {
  try {
    const descriptor = openSync(path, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const from = Math.max(0, size - MAX_LOG_BYTES);
      const bytes = Buffer.alloc(size - from);
      const read = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
      return from === 0 ? read : read.subarray(read.indexOf(0x0a) + 1);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
