import { type ChildProcess, spawn } from 'node:child_process';
import { KILL_GRACE_MS } from './child-group.js';

/**
 * What the minder runs. It reads `+PID` and `-PID`, a line each; when its input ends because whoever
 * wrote it is gone, the groups that are left end too.
 */
const PROGRAM = `
const groups = new Set();
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
    const pid = Number(line.slice(1));
    if (line[0] === '+') groups.add(pid); else groups.delete(pid);
  }
}).on('end', () => {
  signal('SIGTERM');
  if (groups.size > 0) setTimeout(signal, ${KILL_GRACE_MS}, 'SIGKILL');
});
`;

/**
 * A small process beside this one that ends the programs of tasks when this process is killed and can
 * do so no more: otherwise they would go on while somebody else begins the same tasks anew. Begins with
 * the first program that it minds.
 */
export class Minder {
  private readonly nodePath: string;
  private readonly groups = new Set<number>();
  private child: ChildProcess | undefined;

  /** @param nodePath the running Node.js, as `process.execPath` */
  constructor(nodePath: string) {
    this.nodePath = nodePath;
  }

  /** Minds a process group. @returns what is called when it has ended */
  readonly mind = (pid: number): (() => void) => {
    this.groups.add(pid);
    if (this.child === undefined) this.begin();
    else this.say('+', pid);
    return () => {
      this.groups.delete(pid);
      this.say('-', pid);
    };
  };

  /** Ends it; it minds nothing any more. */
  close(): void {
    const { child } = this;
    this.child = undefined;
    for (const pid of this.groups) child?.stdin?.write(`-${pid}\n`);
    child?.stdin?.end();
  }

  private begin(): void {
    const child = spawn(this.nodePath, ['-e', PROGRAM], {
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
      // What ends this process, by Ctrl-C in a terminal, must not end it.
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
    for (const pid of this.groups) this.say('+', pid);
  }

  private say(sign: '+' | '-', pid: number): void {
    this.child?.stdin?.write(`${sign}${pid}\n`);
  }
}
