import { randomUUID } from 'node:crypto';
import { SvcError } from '../errors/index.js';
import { abortableSleep, anySignal, sleepAtMost } from '../support/async.js';
import type { Server } from './server.js';

export interface LeaseOptions {
  /** Stops the waiting; the work has a signal of its own. */
  readonly signal: AbortSignal;
  /** Called once if another process has the lease. */
  readonly onWait?: (() => void) | undefined;
  /** How long it lasts after its holder has died. */
  readonly lastsMs?: number | undefined;
}

const LASTS_MS = 60_000;
const RETRY_MS = 500;

/**
 * Runs work that only one process of all hosts does at a time, waiting as long as needed. The lease is a row that its
 * holder renews; if the holder dies, it expires by the server's clock.
 *
 * @param work gets a signal that is aborted if the lease is lost, or with the one in the options
 * @throws the signal's reason; SvcError STORAGE_*; what the work throws
 */
export async function withLease<T>(
  server: Server,
  name: string,
  { signal, onWait, lastsMs = LASTS_MS }: LeaseOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const holder = randomUUID();
  const acquire = async (): Promise<boolean> => {
    const taken = await server.run(
      `INSERT INTO svc.leases AS lease VALUES ($1, $2, clock_timestamp() + $3 * interval '1 ms')
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
       WHERE lease.holder = excluded.holder OR lease.expires_at <= clock_timestamp()`,
      [name, holder, lastsMs],
    );
    return taken === 1;
  };
  for (let waits = 0; !(await acquire()); waits++) {
    if (waits === 0) onWait?.();
    await abortableSleep(RETRY_MS, signal);
  }
  const lost = new AbortController();
  const ended = new AbortController();
  const renewing = renew(acquire, lastsMs, lost, ended.signal);
  try {
    signal.throwIfAborted();
    return await work(anySignal([signal, lost.signal]));
  } finally {
    ended.abort();
    await renewing;
    // If the server does not answer, the lease expires.
    await server
      .run('DELETE FROM svc.leases WHERE name = $1 AND holder = $2', [name, holder])
      .catch(() => undefined);
  }
}

/** Renews a lease until it is no longer needed. It is lost when it expires, not when the server does not answer for a while. */
async function renew(
  acquire: () => Promise<boolean>,
  lastsMs: number,
  lost: AbortController,
  ended: AbortSignal,
): Promise<void> {
  let untilMs = performance.now() + lastsMs;
  while (!ended.aborted) {
    await sleepAtMost(lastsMs / 4, ended);
    if (ended.aborted) return;
    const startedMs = performance.now();
    const isRenewed = await acquire().catch(() => undefined);
    if (isRenewed === true) untilMs = startedMs + lastsMs;
    if (isRenewed === false || performance.now() >= untilMs) {
      lost.abort(
        new SvcError('STORAGE_UNREACHABLE', 'the lease of this work could not be renewed', {
          hint: 'run the command again',
        }),
      );
      return;
    }
  }
}
