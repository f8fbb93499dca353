/**
 * What some work comes to, unless its time is up before or it is stopped. The work itself goes on:
 * reading from a network folder that hangs cannot be broken off.
 *
 * @param late makes what is thrown after `timeoutMs` milliseconds
 * @throws what the work throws, what `late` makes, or the signal's reason
 */
export async function withinTime<T>(
  work: Promise<T>,
  timeoutMs: number,
  late: () => Error,
  signal: AbortSignal | undefined,
): Promise<T> {
  let giveUp = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal?.reason);
    timer = setTimeout(() => reject(late()), timeoutMs);
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener('abort', giveUp);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}
