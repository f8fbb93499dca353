/** How long a failed service rests. */
export interface Backoff {
  /** Before the first new start, in milliseconds; doubles with each failure in a row. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** A service that worked this long before it failed counts as failing for the first time. */
  readonly calmMs: number;
}

/** Soon enough for a hiccup, slow enough for a fault that somebody has to mend. */
export const SERVICE_BACKOFF: Backoff = { firstMs: 1000, mostMs: 60_000, calmMs: 120_000 };

/**
 * Milliseconds to rest after a failure.
 *
 * @param failures how many there were in a row, this one included
 */
export function restMs(failures: number, { firstMs, mostMs }: Backoff): number {
  return Math.min(mostMs, firstMs * 2 ** Math.max(0, failures - 1));
}
