import { type ChildProcess, spawn } from 'node:child_process';

/** Time for the signal to end this process; it goes on if another handler survives the signal. */
const GRACE_MS = 250;
/** Without SIGINT: callers handle Ctrl-C themselves. */
const ENDING_SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Runs work that changes the terminal. A signal stops the work before it ends this process: otherwise, the shell would
 * get back a terminal that is not restored.
 *
 * @param end called for each signal; makes the work settle
 */
export async function endOnSignals<T>(end: () => void, work: () => Promise<T>): Promise<T> {
  let received: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    received = signal;
    end();
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  try {
    return await work();
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    if (received !== undefined) {
      process.kill(process.pid, received);
      await new Promise((resolve) => setTimeout(resolve, GRACE_MS));
    }
  }
}

interface ForegroundEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Waits for the end of a program that was lent the terminal. Ctrl-C is meant for that program only; other signals
 * end it first.
 *
 * @throws if the program could not be started
 */
export async function endOfForeground(child: ChildProcess): Promise<ForegroundEnd> {
  const interrupts = process.listeners('SIGINT');
  const ignore = (): void => undefined;
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  try {
    return await endOnSignals(
      // A listener would only reload at SIGHUP.
      () => void child.kill('SIGTERM'),
      () =>
        new Promise<ForegroundEnd>((resolve, reject) => {
          child.on('error', reject);
          child.on('close', (code, signal) => resolve({ code, signal }));
        }),
    );
  } finally {
    process.off('SIGINT', ignore);
    for (const handler of interrupts) process.on('SIGINT', handler);
  }
}

/** Part of a word can be quoted, as in `--user-data-dir="/tmp/a b"`. A quote that is never closed is text. */
const WORD = /(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/gu;
const QUOTED = /"([^"]*)"|'([^']*)'/gu;

/** The program and the arguments of `$EDITOR` or `$PAGER`; not for a shell. */
export function commandWords(command: string): readonly string[] {
  return Array.from(command.matchAll(WORD), ([word]) => word.replaceAll(QUOTED, '$1$2'));
}

/** Whether a text is longer than the terminal. */
export function needsPager(text: string): boolean {
  return text.split('\n').length > (process.stdout.rows || 24);
}

/** Shows a text on the terminal in `$SVC_PAGER`, `$PAGER` or less, as git does; prints it where none can be run. */
export async function page(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const command = env['SVC_PAGER'] ?? env['PAGER'] ?? 'less';
  const [program = '', ...args] = commandWords(command);
  if (program === '' || !(await runPager(program, args, text, env))) process.stdout.write(text);
}

/** @returns false where the pager cannot be run: nothing was shown then */
async function runPager(
  program: string,
  args: readonly string[],
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const child = spawn(program, args, {
    // Quit at once where all fits, keep colors, leave the text on the screen.
    env: { LESS: 'FRX', ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // Quitting the pager before the end closes the pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  try {
    await endOfForeground(child);
    return true;
  } catch {
    return false;
  }
}
