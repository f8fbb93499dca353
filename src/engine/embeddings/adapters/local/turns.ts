import { setMaxListeners } from 'node:events';

/** Lets pieces of work take turns, in the order in which they came. */
export class Turns {
  private last: Promise<void> = Promise.resolve();

  /**
   * Does a piece of work when all before it have ended.
   *
   * @throws what the work throws; the signal's reason as soon as it is aborted while waiting
   */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.last;
    let end = (): void => undefined;
    const own = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.last = before.then(() => own);
    try {
      await unlessAborted(before, signal);
      return await work();
    } finally {
      end();
    }
  }

  /** Resolves when all work that was begun has ended. */
  async ended(): Promise<void> {
    await this.last;
  }
}

async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  // Any number of requests may wait on one signal; that is no leak, which Node.js suspects from ten on.
  setMaxListeners(0, signal);
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
