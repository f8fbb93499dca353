/** How work with a time limit ended. */
export type Timed<T> = { readonly done: true; readonly value: T } | { readonly done: false };

/**
 * Does work for at most so long; none at all where there is no time. Late work is told to stop and not waited for: what it does then, and
 * how it fails, is nobody's concern.
 *
 * @param outer aborts the work and the waiting
 * @throws what the work throws in time; the outer signal's reason
 */
export async function withinTime<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Timed<T>> {
  outer.throwIfAborted();
  if (ms <= 0) return { done: false };
  const late = new AbortController();
  const signal = AbortSignal.any([outer, late.signal]);
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const waiting = new Promise<Timed<T>>((resolve, reject) => {
    timer = setTimeout(() => resolve({ done: false }), ms);
    onAbort = () => reject(outer.reason);
    outer.addEventListener('abort', onAbort, { once: true });
  });
  const working = work(signal).then((value): Timed<T> => ({ done: true, value }));
  working.catch(() => undefined);
  try {
    return await Promise.race([working, waiting]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) outer.removeEventListener('abort', onAbort);
    late.abort();
  }
}
