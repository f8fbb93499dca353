import { spawn } from 'node:child_process';

/** A program to run, without a shell. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a program ended. */
export interface ProgramRun {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what it wrote, at most {@link MAX_OUTPUT} characters of each. */
  readonly stdout: string;
  readonly stderr: string;
}

const MAX_OUTPUT = 16_000;
/** A program that was asked to stop and does not is killed. */
const KILL_AFTER_MS = 3000;

/**
 * Runs a program to its end. When aborted it is stopped, and waited for: nothing of it goes on.
 *
 * @throws the signal's reason; the system's error when the program cannot be started
 */
export async function runProgram(program: Program, signal: AbortSignal): Promise<ProgramRun> {
  signal.throwIfAborted();
  const child = spawn(program.command, program.args, {
    cwd: program.cwd,
    env: { ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const stdout = tailOf(child.stdout);
  const stderr = tailOf(child.stderr);
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    killer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const ended = await new Promise<Pick<ProgramRun, 'code' | 'signal'>>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, by) => resolve({ code, signal: by }));
    });
    signal.throwIfAborted();
    return { ...ended, stdout: stdout(), stderr: stderr() };
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(killer);
  }
}

function tailOf(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-MAX_OUTPUT);
  });
  return () => text;
}
