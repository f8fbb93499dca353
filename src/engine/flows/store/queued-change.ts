/** A change that waits for a transaction. */
export interface QueuedChange<Tx> {
  /** Makes the change, and returns what answers its caller once it is on disk. */
  readonly change: (tx: Tx) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
  /** It failed, or another of its transaction did: it gets a transaction of its own. */
  runsAlone: boolean;
}

/** Resolves when the change is on disk. */
export function queueChange<Tx, T>(
  change: (tx: Tx) => Promise<T>,
  enqueue: (queued: QueuedChange<Tx>) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    enqueue({
      change: async (tx) => {
        const result = await change(tx);
        return () => resolve(result);
      },
      reject,
      runsAlone: false,
    });
  });
}
