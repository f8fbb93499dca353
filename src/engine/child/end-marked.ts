import type { readdirSync, readFileSync, statSync } from 'node:fs';

/** The variable that every process of one attempt at a task inherits. */
export const ATTEMPT_VARIABLE = 'SVC_ATTEMPT_ID';

/** Passed in because the minder loads it in another way. */
interface ProcReader {
  readonly readdirSync: typeof readdirSync;
  readonly readFileSync: typeof readFileSync;
  readonly statSync: typeof statSync;
}

/**
 * Kills this user's processes with one of these entries (`NAME=value`) in their environment: what a program
 * started in another session has left the process group. Only on Linux, where the environment of other
 * processes can be read.
 *
 * The minder runs the source of this function, so that it cannot refer to anything outside.
 */
export function endMarked(fs: ProcReader, entries: readonly string[]): void {
  if (process.platform !== 'linux' || process.getuid === undefined) return;
  // A process missed while it forked is found in the next pass; a fork bomb must not keep this running.
  for (let pass = 0, found = true; found && pass < 5; pass++) {
    found = false;
    const others = fs.readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
    for (const pid of others) {
      try {
        if (fs.statSync(`/proc/${pid}`).uid !== process.getuid()) continue;
        const before = fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').pop()?.split(' ');
        const environ = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        if (!entries.some((entry) => environ.includes(entry))) continue;
        // The pid could be reused by now: the start time is the 20th field after the name.
        const now = fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').pop()?.split(' ');
        if (before?.[19] !== now?.[19] || Number(pid) === process.pid) continue;
        process.kill(Number(pid), 'SIGKILL');
        found = true;
      } catch {
        // It has ended, or cannot be read.
      }
    }
  }
}
