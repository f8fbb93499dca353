import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { waitFor } from './wait.js';

/** Whether a process exists; one that has ended and whose parent has not noticed yet does. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The process ids of the children of a process; Linux alone has the list. */
export function childrenOf(pid: number): readonly number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}

/** How many files this process has open whose paths start like this; Linux alone has the list. */
export function openFiles(start: string): number {
  return readdirSync('/proc/self/fd').filter((handle) => {
    try {
      return readlinkSync(`/proc/self/fd/${handle}`).startsWith(start);
    } catch {
      return false;
    }
  }).length;
}

/** Sets how many files a running process may have open. @returns false where that is impossible */
export function limitOpenFiles(pid: number | undefined, count: number): boolean {
  const limit = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);
  return limit.status === 0;
}

/** Waits until processes have ended, which takes those that were killed a moment. */
export async function whenEnded(pids: readonly number[]): Promise<void> {
  await waitFor(
    'the end of processes',
    () => !pids.some(isRunning),
    () => pids.filter(isRunning),
  );
}
