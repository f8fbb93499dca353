import type { ChildProcess } from 'node:child_process';

/** A process that handles the signal itself goes on after this time. */
const NOT_ENDED_MS = 250;

/**
 * Does something that has changed the terminal, and ends it before a signal ends this process: otherwise, the shell
 * would get the terminal back as it is in between.
 *
 * @param end called for each signal; makes the work settle
 */
export async function endedBySignals<T>(end: () => void, work: () => Promise<T>): Promise<T> {
  let received: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    received = signal;
    end();
  };
  process.on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  try {
    return await work();
  } finally {
    process.off('SIGTERM', onSignal).off('SIGHUP', onSignal);
    if (received !== undefined) {
      process.kill(process.pid, received);
      await new Promise((resolve) => setTimeout(resolve, NOT_ENDED_MS));
    }
  }
}

/** How a program has ended. */
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
    return await endedBySignals(
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
