import { spawn } from 'node:child_process';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ProgramRun {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last {@link MAX_OUTPUT} characters. */
  readonly stdout: string;
  readonly stderr: string;
}

const MAX_OUTPUT = 16_000;
/** Time between SIGTERM and SIGKILL. */
const KILL_AFTER_MS = 3000;

/**
 * Runs a program without a shell. When aborted, stops it and waits for its end.
 *
 * @throws the signal's reason; the system's error if it cannot be started
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
