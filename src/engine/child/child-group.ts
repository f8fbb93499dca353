import { type ChildProcess, spawn } from 'node:child_process';
import nodeFs from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { systemErrorCode } from '../errors/index.js';

/** A program to run; never through a shell. */
export interface ChildCall {
  /** Absolute path of the program, and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Its argv[0], if that is not the path. */
  readonly argv0?: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of a folder. */
  readonly cwd: string;
  /** Announces the program to what ends it if this process dies; see Minder. */
  readonly announce?: AnnounceProgram | undefined;
  /**
   * Unique to this run. Processes that left the group are found by it and killed with the program; see
   * killMarked.
   */
  readonly attemptId?: string | undefined;
  /** Whether what it started in the background may outlive it, such as the agent of a password manager. */
  readonly keepsBackground?: boolean;
}

/** Announces a program that is about to be started: this process can die at any time after that. */
export type AnnounceProgram = (attemptId?: string | undefined) => AnnouncedProgram;

/** What becomes of an announced program. */
interface AnnouncedProgram {
  /** @param pid also of the process group */
  readonly started: (pid: number) => void;
  /** Or it could not be started. */
  readonly ended: () => void;
}

/** How a program ended. */
export type ChildEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  /** The system's code, such as `ENOENT`. */
  | { readonly kind: 'not-started'; readonly code: string };

/** From SIGTERM to SIGKILL. */
export const KILL_GRACE_MS = 5000;
/** For processes that left the group and keep a pipe open. */
const PIPE_GRACE_MS = 1000;

/**
 * A program and everything it starts, in its own process group. What it leaves behind when it ends is killed;
 * with an attempt's id also what has left the group.
 */
export class ChildGroup {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the group is gone and all its output was read. */
  readonly ended: Promise<ChildEnd>;
  private readonly child: ChildProcess;
  private killTimer: NodeJS.Timeout | undefined;
  private hasExited = false;

  /** @throws the system's error, such as E2BIG; others are in {@link ended} */
  constructor(call: ChildCall) {
    const { announce, attemptId, keepsBackground } = call;
    const announced = announce?.(attemptId);
    const child = spawnGroup(call, announced);
    if (child.pid !== undefined) announced?.started(child.pid);
    this.child = child;
    // Without free file handles there are none, and the error follows.
    this.stdin = child.stdin ?? new PassThrough();
    this.stdout = child.stdout ?? new PassThrough();
    this.stderr = child.stderr ?? new PassThrough();
    // A program can end without reading its input (EPIPE).
    this.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => {
        if (child.pid !== undefined) return;
        announced?.ended();
        resolve({ kind: 'not-started', code: systemErrorCode(error) ?? 'unknown error' });
      });
      child.on('exit', () => {
        this.hasExited = true;
        if (keepsBackground !== true) this.signal('SIGKILL');
        if (attemptId !== undefined) killMarked(nodeFs, [`${ATTEMPT_VARIABLE}=${attemptId}`]);
        clearTimeout(this.killTimer);
        setTimeout(() => this.cutPipes(), PIPE_GRACE_MS).unref();
      });
      child.on('close', (exitCode, signal) => {
        announced?.ended();
        if (signal !== null) resolve({ kind: 'signalled', signal });
        else resolve({ kind: 'exited', exitCode: exitCode ?? 0 });
      });
    });
  }

  /** Asks the group to end, and kills it if it does not. */
  stop(): void {
    // The pid of an ended process can be reused.
    if (this.killTimer !== undefined || this.hasExited) return;
    this.signal('SIGTERM');
    this.killTimer = setTimeout(() => this.signal('SIGKILL'), KILL_GRACE_MS);
  }

  kill(): void {
    if (!this.hasExited) this.signal('SIGKILL');
  }

  private signal(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      // Negative: the process group.
      process.kill(-pid, signal);
    } catch {
      // The group is empty, or this system has no groups.
      this.child.kill(signal);
    }
  }

  private cutPipes(): void {
    this.stdin.destroy();
    this.stdout.destroy();
    this.stderr.destroy();
  }
}

function spawnGroup(
  { command, argv0, env, cwd, attemptId }: ChildCall,
  announced: AnnouncedProgram | undefined,
): ChildProcess {
  const [program, ...args] = command;
  try {
    return spawn(program, args, {
      cwd,
      env: attemptId === undefined ? env : { ...env, [ATTEMPT_VARIABLE]: attemptId },
      shell: false,
      stdio: 'pipe',
      windowsHide: true,
      detached: true,
      ...(argv0 === undefined ? {} : { argv0 }),
    });
  } catch (error) {
    announced?.ended();
    throw error;
  }
}

/** The variable that every process of one attempt at a task inherits. */
export const ATTEMPT_VARIABLE = 'SVC_ATTEMPT_ID';

/**
 * Kills this user's processes with one of these entries (`NAME=value`) in their environment: what a program
 * started in another session has left the process group. Only on Linux, where the environment of other
 * processes can be read.
 *
 * The minder runs the source of this function, so that it cannot refer to anything outside.
 *
 * @param fs the module, which the minder loads in another way
 */
export function killMarked(
  fs: Pick<typeof nodeFs, 'readdirSync' | 'readFileSync' | 'statSync'>,
  entries: readonly string[],
): void {
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
