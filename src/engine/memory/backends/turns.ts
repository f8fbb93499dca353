import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../errors/index.js';
import { runningMs } from '../../running-ms.js';

/** How long somebody waits for a turn. */
export interface TurnWait {
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One after the other within this process. The lock on disk keeps processes apart; those who share a
 * connection to it would all hold it at once.
 */
export class Turns {
  private holder: Promise<void> | undefined;

  /** Whether somebody has the turn right now. */
  get isTaken(): boolean {
    return this.holder !== undefined;
  }

  /**
   * Takes the turn.
   *
   * @returns what gives it back; undefined when it was not free within the wait
   * @throws SvcError INTERRUPTED
   */
  async take(wait: TurnWait): Promise<(() => void) | undefined> {
    const deadline = runningMs() + wait.waitMs;
    while (this.holder !== undefined) {
      const waitMs = deadline - runningMs();
      if (waitMs <= 0) return undefined;
      await this.whenFree({ ...wait, waitMs });
    }
    let end = (): void => undefined;
    this.holder = new Promise((resolve) => {
      end = resolve;
    });
    return () => {
      this.holder = undefined;
      end();
    };
  }

  /** Waits until the turn is free, or for as long as given. @throws SvcError INTERRUPTED */
  async whenFree({ waitMs, signal }: TurnWait): Promise<void> {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    stopWhenAborted(signal);
    signal?.addEventListener('abort', abort, { once: true });
    const longest = Math.min(waitMs, LONGEST_TIMER_MS);
    const pause = sleep(longest, undefined, { signal: stop.signal }).catch(() => undefined);
    try {
      await Promise.race([this.holder, pause]);
      stopWhenAborted(signal);
    } finally {
      stop.abort();
      signal?.removeEventListener('abort', abort);
    }
  }
}

function stopWhenAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new SvcError('INTERRUPTED', 'stopped waiting');
}

/** setTimeout takes no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
