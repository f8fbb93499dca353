import { setMaxListeners } from 'node:events';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { runningMs } from './time.js';

/** A promise that is settled from outside; settling it again does nothing. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** A rejection without a listener does not count as unhandled. */
export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/**
 * Closes something at the end of the block that declares it with `using`, which is compiled for Node.js 20. Not for what
 * can fail to close: together with another failure, it would become a SuppressedError.
 */
export function closing<Resource extends { close(): unknown }>(
  resource: Resource,
): Disposable & Resource {
  return Object.assign(resource, { [Symbol.dispose]: () => void resource.close() });
}

/** Lets other work of the process go first, such as drawing a key. @throws the signal's reason */
export async function letOthersRun(signal?: AbortSignal): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

const PAUSE_MS = 4;
/** Of work on which others wait in turn. */
const LONGEST_PAUSE_MS = 250;

/**
 * Lets others use the event loop after work that blocked it for long, until they are done or for a moment. What takes
 * several turns of the loop, such as a search or an answer, would otherwise wait for that long in each of them.
 */
export async function letOthersWork(longestMs = LONGEST_PAUSE_MS): Promise<void> {
  const untilMs = runningMs() + longestMs;
  for (let isBusy = true; isBusy; ) {
    const before = performance.eventLoopUtilization();
    await sleep(PAUSE_MS);
    const { utilization } = performance.eventLoopUtilization(before);
    isBusy = utilization > 0.5 && runningMs() < untilMs;
  }
}

/** Waits for a time, or until a signal aborts. @throws the signal's reason */
export async function abortableSleep(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Waits for a time, or less if a signal aborts meanwhile. Never rejects. */
export async function sleepAtMost(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** The longest part of {@link sleepUnblocked} that a blocked event loop can use up. */
const SLICE_MS = 50;

/**
 * Waits for a time in which the event loop was free. What reads a file in several steps makes no progress while
 * something else, such as indexing, blocks the loop.
 *
 * @throws the signal's reason
 */
export async function sleepUnblocked(ms: number, signal: AbortSignal): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= SLICE_MS) {
    await abortableSleep(Math.min(leftMs, SLICE_MS), signal);
  }
}

/** A signal that never aborts. */
export const NEVER = new AbortController().signal;

/** What a signal of {@link anySignal} was made of. */
const SOURCES = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * Like AbortSignal.any, whose result does not hold what it was made of: on Node.js 20 the time limits among it, and on
 * Node.js 24 all, can be collected as garbage, and the result never aborts.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals]);
  SOURCES.set(any, signals);
  return any;
}

type Timed<T> = { readonly done: true; readonly value: T } | { readonly done: false };

/**
 * Runs work with a time limit; a limit of 0 or less skips it. Late work is aborted and not waited for, and
 * its failure is ignored.
 *
 * @param outer aborts the work and the wait
 * @param wait how the time passes
 * @throws what the work throws in time; the outer signal's reason
 */
export async function withinTime<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  wait = sleepAtMost,
): Promise<Timed<T>> {
  outer?.throwIfAborted();
  if (ms <= 0) return { done: false };
  const late = new AbortController();
  const signal = outer === undefined ? late.signal : anySignal([outer, late.signal]);
  const working = work(signal).then((value) => ({ done: true, value }) as const);
  const timedOut = wait(ms, late.signal).then(() => ({ done: false }) as const);
  try {
    const first = Promise.race([working, timedOut]);
    return await (outer === undefined ? first : unlessAborted(first, outer));
  } finally {
    late.abort();
  }
}

/** Waits for work, but no longer than until a signal aborts. @throws the signal's reason */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  // Many callers may wait on one signal, which Node.js would report as a leak.
  setMaxListeners(0, signal);
  const aborted = deferred<never>();
  const stop = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * What several callers use is opened once, on the first use, and again after a failure. A caller that gives up leaves
 * the opening to the others.
 */
export class SharedOpening<T> {
  private readonly open: (signal: AbortSignal) => Promise<T>;
  private readonly life = new AbortController();
  private opening: Promise<T> | undefined;

  /** @param open its signal aborts when {@link end} is called */
  constructor(open: (signal: AbortSignal) => Promise<T>) {
    this.open = open;
  }

  /** @throws why it cannot be opened; the signal's reason */
  async get(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.opening === undefined) {
      const opening = this.open(this.life.signal);
      opening.catch(() => {
        this.opening = undefined;
      });
      this.opening = opening;
    }
    return unlessAborted(this.opening, signal);
  }

  /** Aborts an opening in progress. @returns what is open, for its caller to close */
  async end(): Promise<T | undefined> {
    this.life.abort();
    return this.opening?.catch(() => undefined);
  }
}

/** Waits for both. If the first fails, its failure is thrown, because it can be the cause of the other's. */
export async function afterFirst<A, B>(
  first: Promise<A>,
  second: Promise<B>,
): Promise<readonly [A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
