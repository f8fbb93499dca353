import { type ChildProcess, spawn } from 'node:child_process';
import {
  type AnnounceProgram,
  ATTEMPT_VARIABLE,
  KILL_GRACE_MS,
  killMarked,
} from './child-group.js';

/** What is sent to the minder about a program, as a line of JSON. Without `mark` and `group`, the program has ended. */
interface MinderLine {
  readonly key: number;
  /** `NAME=value` in the environment of all its processes. */
  readonly mark?: string | undefined;
  /** The process group, once it has been started. */
  readonly group?: number;
}

/**
 * The source that the minder runs. When its input ends because svc is gone, it asks the groups to end and kills what is
 * left after a while. Processes without a group are killed at once, and again later: svc may have died while it
 * started them.
 */
const PROGRAM = `
const killMarked = ${killMarked.toString()};
const programs = new Map();
let rest = '';
process.stdin.setEncoding('utf8').on('data', (part) => {
  const lines = (rest + part).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { key, mark, group } = JSON.parse(line);
    if (mark === undefined && group === undefined) programs.delete(key);
    else programs.set(key, { mark, group });
  }
}).on('end', () => {
  const left = [...programs.values()];
  const end = (signal) => {
    for (const program of left) {
      if (program.group === undefined) continue;
      try { process.kill(-program.group, signal); } catch { program.group = undefined; }
    }
    const away = left.filter(({ group }) => group === undefined || signal === 'SIGKILL');
    const marks = away.flatMap(({ mark }) => mark ?? []);
    if (marks.length > 0) killMarked(require('node:fs'), marks);
  };
  end('SIGTERM');
  if (left.length > 0) setTimeout(end, ${KILL_GRACE_MS}, 'SIGKILL');
});
`;

/**
 * A small process that ends the programs of tasks if this process is killed. Otherwise they would continue
 * while another runner starts the same tasks again. It is started before the first program.
 */
export class Minder {
  private readonly nodePath: string;
  private readonly programs = new Map<number, MinderLine>();
  private child: ChildProcess | undefined;
  private keys = 0;

  /** @param nodePath the running Node.js, as `process.execPath` */
  constructor(nodePath: string) {
    this.nodePath = nodePath;
  }

  readonly announce: AnnounceProgram = (attemptId) => {
    this.keys += 1;
    const key = this.keys;
    const mark = attemptId === undefined ? undefined : `${ATTEMPT_VARIABLE}=${attemptId}`;
    if (this.child === undefined) this.start();
    const record = (line: MinderLine): void => {
      this.programs.set(key, line);
      this.send(line);
    };
    if (mark !== undefined) record({ key, mark });
    return {
      started: (group) => record({ key, mark, group }),
      ended: () => {
        this.programs.delete(key);
        this.send({ key });
      },
    };
  };

  close(): void {
    const { child } = this;
    for (const key of this.programs.keys()) this.send({ key });
    this.child = undefined;
    child?.stdin?.end();
  }

  private start(): void {
    const child = spawn(this.nodePath, ['-e', PROGRAM], {
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
      // Ctrl-C in the terminal of this process must not end it.
      detached: true,
    });
    this.child = child;
    const onGone = (): void => {
      if (this.child !== child) return;
      this.child = undefined;
      if (this.programs.size > 0 && child.pid !== undefined) this.start();
    };
    child.on('error', onGone).on('exit', onGone).unref();
    child.stdin?.on('error', () => undefined);
    for (const line of this.programs.values()) this.send(line);
  }

  private send(line: MinderLine): void {
    this.child?.stdin?.write(`${JSON.stringify(line)}\n`);
  }
}
