import { type ChildProcess, spawn } from 'node:child_process';
import { ATTEMPT_VARIABLE, endMarked, KILL_GRACE_MS, type Mind } from './child-group.js';

/**
 * The source that the minder runs. It reads lines of `+PID` (and the attempt's id, if any) and `-PID`. When
 * its input ends because svc is gone, it ends the remaining groups and the processes that left them.
 */
const PROGRAM = `
const endMarked = ${endMarked.toString()};
const groups = new Set();
const marks = new Map();
let rest = '';
const signal = (name) => {
  for (const pid of groups) {
    try { process.kill(-pid, name); } catch { groups.delete(pid); }
  }
};
process.stdin.setEncoding('utf8').on('data', (part) => {
  const lines = (rest + part).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const [number, mark] = line.slice(1).split(' ');
    const pid = Number(number);
    groups.delete(pid);
    marks.delete(pid);
    if (line[0] !== '+') continue;
    groups.add(pid);
    if (mark) marks.set(pid, '${ATTEMPT_VARIABLE}=' + mark);
  }
}).on('end', () => {
  const left = [...marks.values()];
  const end = () => {
    signal('SIGKILL');
    if (left.length > 0) endMarked(require('node:fs'), left);
  };
  signal('SIGTERM');
  if (groups.size > 0) setTimeout(end, ${KILL_GRACE_MS}); else end();
});
`;

/**
 * A small process that ends the programs of tasks if this process is killed. Otherwise they would continue
 * while another runner starts the same tasks again. It is started with the first program.
 */
export class Minder {
  private readonly nodePath: string;
  /** Attempt ids by group. */
  private readonly groups = new Map<number, string | undefined>();
  private child: ChildProcess | undefined;

  /** @param nodePath the running Node.js, as `process.execPath` */
  constructor(nodePath: string) {
    this.nodePath = nodePath;
  }

  /** Registers a process group. @returns to be called when it has ended */
  readonly mind: Mind = (pid, attemptId) => {
    this.groups.set(pid, attemptId);
    if (this.child === undefined) this.begin();
    else this.sayMinded(pid, attemptId);
    return () => {
      this.groups.delete(pid);
      this.child?.stdin?.write(`-${pid}\n`);
    };
  };

  close(): void {
    const { child } = this;
    this.child = undefined;
    for (const pid of this.groups.keys()) child?.stdin?.write(`-${pid}\n`);
    child?.stdin?.end();
  }

  private begin(): void {
    const child = spawn(this.nodePath, ['-e', PROGRAM], {
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
      // Ctrl-C in the terminal of this process must not end it.
      detached: true,
    });
    this.child = child;
    const gone = (): void => {
      if (this.child !== child) return;
      this.child = undefined;
      if (this.groups.size > 0 && child.pid !== undefined) this.begin();
    };
    child.on('error', gone).on('exit', gone).unref();
    child.stdin?.on('error', () => undefined);
    for (const [pid, attemptId] of this.groups) this.sayMinded(pid, attemptId);
  }

  private sayMinded(pid: number, attemptId: string | undefined): void {
    this.child?.stdin?.write(attemptId === undefined ? `+${pid}\n` : `+${pid} ${attemptId}\n`);
  }
}
