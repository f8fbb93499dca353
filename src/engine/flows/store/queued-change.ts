/** A change that waits for a transaction. */
export interface QueuedChange<Work> {
  /** Makes the change, and returns what answers its caller once it is on disk. */
  readonly change: (work: Work) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
  /** It failed, or another of its transaction did: it gets a transaction of its own. */
  alone: boolean;
}

/** Resolves when the change is on disk. */
export function queueChange<Work, T>(
  change: (work: Work) => Promise<T>,
  enqueue: (queued: QueuedChange<Work>) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    enqueue({
      change: async (work) => {
        const result = await change(work);
        return () => resolve(result);
      },
      reject,
      alone: false,
    });
  });
}
