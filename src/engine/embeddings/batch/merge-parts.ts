/**
 * Runs several generators at a time and yields what they yield, as it comes. A generator goes on
 * only after what it gave was taken.
 *
 * @param sources is asked for the next generator when there is room for one
 * @param stop ends whatever the generators wait for: called when the reader leaves, or one of them
 *   fails, before the others are done
 */
export async function* mergeParts<T>(
  sources: AsyncGenerator<AsyncGenerator<T>>,
  concurrency: number,
  stop: () => void,
): AsyncGenerator<T> {
  const open = new Set<AsyncGenerator<T>>();
  const underWay = new Map<AsyncGenerator<T>, Promise<Step<T>>>();
  const advance = (source: AsyncGenerator<T>): void => {
    open.add(source);
    underWay.set(
      source,
      source.next().then(
        (result) => ({ source, result }),
        (error: unknown) => ({ source, error }),
      ),
    );
  };
  try {
    for (;;) {
      while (underWay.size < concurrency) {
        const next = await sources.next();
        if (next.done === true) break;
        advance(next.value);
      }
      if (underWay.size === 0) return;
      const step = await Promise.race(underWay.values());
      underWay.delete(step.source);
      if ('error' in step) throw step.error;
      if (step.result.done === true) {
        open.delete(step.source);
        continue;
      }
      yield step.result.value;
      advance(step.source);
    }
  } finally {
    if (open.size > 0) stop();
    await Promise.allSettled([...open, sources].map((source) => source.return(undefined)));
  }
}

type Step<T> = { readonly source: AsyncGenerator<T> } & (
  | { readonly result: IteratorResult<T, unknown> }
  | { readonly error: unknown }
);
