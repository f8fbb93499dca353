import { type ChildProcess, spawn } from 'node:child_process';
import { systemErrorCode } from '../errors/index.js';

export interface ProgramCall {
  /** Absolute path of the file to run. */
  readonly file: string;
  /** Its argv[0]. */
  readonly name: string;
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it reads from stdin. */
  readonly input: string;
  readonly timeoutMs: number;
  /** How long it may print nothing, in milliseconds. */
  readonly silenceMs: number;
  /** Of stdout and stderr together. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** How a run ended. stderr is not kept, since it may quote secrets. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly stdout: Buffer }
  /** By a signal of somebody else. */
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  /** Killed by us because of a limit. */
  | { readonly kind: 'killed'; readonly limit: 'maxOutputBytes' | 'silenceMs' | 'timeoutMs' }
  /** With a system error code such as `ENOENT`. */
  | { readonly kind: 'not-started'; readonly code: string };

/**
 * Runs a program without a shell. Beyond a limit it is killed with all its children.
 *
 * @throws the signal's reason, after the program was killed
 */
export async function runProgram(call: ProgramCall): Promise<ProgramEnd> {
  call.signal?.throwIfAborted();
  let child: ChildProcess;
  try {
    child = start(call);
  } catch (error) {
    return notStarted(error);
  }
  return endOf(child, call);
}

function start({ file, name, args, env, cwd }: ProgramCall): ChildProcess {
  return spawn(file, args, {
    argv0: name,
    cwd,
    env,
    shell: false,
    stdio: 'pipe',
    windowsHide: true,
    // Its own process group, to be killed as a whole.
    detached: true,
  });
}

function endOf(child: ChildProcess, call: ProgramCall): Promise<ProgramEnd> {
  const { timeoutMs, silenceMs, maxOutputBytes, signal } = call;
  return new Promise((resolve, reject) => {
    const stopWatching = (): void => {
      clearTimeout(timer);
      clearTimeout(silence);
      signal?.removeEventListener('abort', abort);
    };
    const finish = (end: ProgramEnd): void => {
      stopWatching();
      resolve(end);
    };
    const killFor = (limit: 'maxOutputBytes' | 'silenceMs' | 'timeoutMs'): void => {
      kill(child);
      finish({ kind: 'killed', limit });
    };
    const abort = (): void => {
      kill(child);
      stopWatching();
      reject(signal?.reason);
    };
    const timer = setTimeout(killFor, timeoutMs, 'timeoutMs');
    const silence = setTimeout(killFor, silenceMs, 'silenceMs');
    signal?.addEventListener('abort', abort);

    const parts: Buffer[] = [];
    let bytes = 0;
    const hear = (part: Buffer): void => {
      silence.refresh();
      bytes += part.length;
      if (bytes > maxOutputBytes) killFor('maxOutputBytes');
    };
    child.stdout?.on('data', (part: Buffer) => {
      parts.push(part);
      hear(part);
    });
    child.stderr?.on('data', hear);
    child.on('error', (error) => finish(notStarted(error)));
    child.on('close', (exitCode, endedBy) => {
      if (exitCode !== null) finish({ kind: 'exited', exitCode, stdout: Buffer.concat(parts) });
      else if (endedBy !== null) finish({ kind: 'signalled', signal: endedBy });
    });
    // A program may answer without reading its stdin (EPIPE).
    child.stdin?.on('error', () => {});
    child.stdin?.end(call.input);
  });
}

/** Kills the program and its descendants without waiting for them. */
function kill(child: ChildProcess): void {
  try {
    // Negative: the process group. Windows has none.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
  // A descendant that left the group may keep the pipes open.
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function notStarted(error: unknown): ProgramEnd {
  return { kind: 'not-started', code: systemErrorCode(error) ?? 'unknown error' };
}
