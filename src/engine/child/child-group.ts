import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { systemErrorCode } from '../errors/index.js';

/** A program to run; never through a shell. */
export interface ChildCall {
  /** Absolute path of the program, and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of a folder. */
  readonly cwd: string;
  /** Told the process group, to end it should this process die; see Minder. */
  readonly mind: (pid: number) => () => void;
}

/** How a program ended. */
export type ChildEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  /** With the code of the system, as `ENOENT`. */
  | { readonly kind: 'not-started'; readonly code: string };

/** From the polite signal to the one that cannot be ignored. */
export const KILL_GRACE_MS = 5000;
/** For somebody who left the group and still holds an end of a pipe. */
const PIPE_GRACE_MS = 1000;

/**
 * A program with all that it starts, in a process group of its own. Nothing of the group outlives the
 * program: what it leaves behind when it ends is killed.
 */
export class ChildGroup {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the group is gone and all its output was told. */
  readonly ended: Promise<ChildEnd>;
  private readonly child: ChildProcessWithoutNullStreams;
  private killTimer: NodeJS.Timeout | undefined;
  private hasExited = false;

  constructor({ command, env, cwd, mind }: ChildCall) {
    const [program, ...args] = command;
    const child = spawn(program, args, {
      cwd,
      env,
      shell: false,
      stdio: 'pipe',
      windowsHide: true,
      detached: true,
    });
    const release = child.pid === undefined ? () => undefined : mind(child.pid);
    this.child = child;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.stderr = child.stderr;
    // A program may end without reading what it is told (EPIPE).
    child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => {
        if (child.pid === undefined) resolve({ kind: 'not-started', code: codeOf(error) });
      });
      child.on('exit', () => {
        this.hasExited = true;
        this.signal('SIGKILL');
        clearTimeout(this.killTimer);
        setTimeout(() => this.cutPipes(), PIPE_GRACE_MS).unref();
      });
      child.on('close', (exitCode, signal) => {
        release();
        if (signal !== null) resolve({ kind: 'signalled', signal });
        else resolve({ kind: 'exited', exitCode: exitCode ?? 0 });
      });
    });
  }

  /** Asks the group to end, and kills it when it does not. */
  stop(): void {
    // Another process may have the number of one that has ended.
    if (this.killTimer !== undefined || this.hasExited) return;
    this.signal('SIGTERM');
    this.killTimer = setTimeout(() => this.signal('SIGKILL'), KILL_GRACE_MS);
  }

  /** Ends the group at once. */
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
      // Nobody is left in it, or this system has no groups.
      this.child.kill(signal);
    }
  }

  private cutPipes(): void {
    this.stdin.destroy();
    this.stdout.destroy();
    this.stderr.destroy();
  }
}

function codeOf(error: unknown): string {
  return systemErrorCode(error) ?? 'unknown error';
}
