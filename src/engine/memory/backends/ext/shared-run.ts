import type { SyncEvent } from '../../sync/events.js';
import type { WorkOptions } from '../memory-backend.js';

/** What shared work is done with. */
export interface RunWork {
  /** Aborted once nobody waits for it any more. */
  readonly signal: AbortSignal;
  /** Tells everybody who waits. */
  readonly onEvent: (event: SyncEvent) => void;
}

/** Somebody else is at it, and takes longer than was to be waited. */
export class RunPending extends Error {
  override name = 'RunPending';
}

/**
 * Work that several callers wait for. Each leaves by its own signal, and takes nobody along: it ends only
 * when the last has left.
 */
export class SharedRun<T> {
  private readonly waiting = new Set<WorkOptions>();
  private readonly leaving = new AbortController();
  private readonly result: Promise<T>;
  private hasEnded = false;

  /** Begins at once; whoever makes it joins it at once. */
  constructor(run: (work: RunWork) => Promise<T>) {
    this.result = run({
      signal: this.leaving.signal,
      onEvent: (event) => {
        for (const { onEvent } of this.waiting) onEvent?.(event);
      },
    });
    const end = (): void => {
      this.hasEnded = true;
    };
    // Everybody may have left, so that nobody hears of a failure.
    this.result.then(end, end);
  }

  /** Whether it is over, well or not. */
  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Whether everybody left before it was over. */
  get isAbandoned(): boolean {
    return this.leaving.signal.aborted;
  }

  /**
   * Waits for it.
   *
   * @param waitMs for at most so long; until it ends when left out
   * @throws RunPending; the signal's reason; what the work throws
   */
  async join(work: WorkOptions, waitMs?: number): Promise<T> {
    const { signal } = work;
    signal?.throwIfAborted();
    // The same options given twice are two callers.
    const caller = { ...work };
    this.waiting.add(caller);
    const ends = new AbortController();
    const left = new Promise<never>((_, reject) => {
      const once = { once: true, signal: ends.signal };
      signal?.addEventListener('abort', () => reject(signal.reason), once);
      if (waitMs === undefined) return;
      const timer = setTimeout(() => reject(new RunPending()), waitMs);
      ends.signal.addEventListener('abort', () => clearTimeout(timer));
    });
    try {
      return await Promise.race([this.result, left]);
    } finally {
      ends.abort();
      this.waiting.delete(caller);
      if (this.waiting.size === 0 && !this.hasEnded) this.leaving.abort(signal?.reason);
    }
  }
}
