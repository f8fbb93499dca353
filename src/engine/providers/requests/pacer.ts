import { abortableSleep } from '../../support/async.js';
import { runningMs } from '../../support/time.js';
import type { EmbeddingEvent } from '../embedding-event.js';
import { isTransient, VendorFault } from '../vendor-fault.js';

export interface RetryRules {
  /** Tries of one request, including the first; also consecutive rate limits for which the vendor asks for a wait. */
  readonly maxTries: number;
  /** Tries of a request that gets no answer in time. */
  readonly maxTimeouts: number;
  /** Consecutive rate limits for which the vendor does not say how long to wait. */
  readonly maxUntimedLimits: number;
  /** Longest single wait. If the vendor asks for more, `giveUpOnLongWaits` gives up. */
  readonly maxWaitMs: number;
  readonly giveUpOnLongWaits: boolean;
}

/**
 * For indexing, which may run for hours. Most limits are counted by the minute, and another process with the same key
 * may have used this one up: the pauses together are longer.
 */
export const PATIENT: RetryRules = {
  maxTries: 5,
  // Each can take ten minutes, and until the run ends no other process indexes changes.
  maxTimeouts: 2,
  maxUntimedLimits: 9,
  maxWaitMs: 60_000,
  giveUpOnLongWaits: false,
};
/** For queries that somebody waits for. */
export const INTERACTIVE: RetryRules = {
  maxTries: 3,
  maxTimeouts: 3,
  maxUntimedLimits: 3,
  maxWaitMs: 5_000,
  giveUpOnLongWaits: true,
};
/** For probes, which report what happens. */
export const ONCE: RetryRules = {
  maxTries: 1,
  maxTimeouts: 1,
  maxUntimedLimits: 1,
  maxWaitMs: 0,
  giveUpOnLongWaits: true,
};

export interface Pacing {
  /**
   * Resolves when the next request may be sent.
   *
   * @throws VendorFault `rate` if a pause is longer than the rules wait, or the signal's reason
   */
  ready(signal: AbortSignal): Promise<void>;
  /** Milliseconds to wait before the next try; undefined gives up. */
  delayAfter(fault: VendorFault, tries: number): number | undefined;
  succeeded(): void;
}

const FIRST_WAIT_MS = 500;
const FIRST_INTERVAL_MS = 250;
const MAX_INTERVAL_MS = 60_000;
/** Longer than any request takes: earlier pauses belong to another run. */
const FORGOTTEN_MS = 3_600_000;
/** Shorter intervals are dropped. */
const MIN_INTERVAL_MS = 20;
/** Factor on the interval after each success. */
const RECOVERY = 0.85;

function isTooLong(waitMs: number, { giveUpOnLongWaits, maxWaitMs }: RetryRules): boolean {
  return giveUpOnLongWaits && waitMs > maxWaitMs;
}

export type Pacer = ReturnType<typeof createPacer>;

/**
 * Paces all requests of one adapter together: after a rate limit, all requests wait, and the rate
 * stays lower until answers succeed again. A rate limit slows a run down instead of failing it.
 *
 * @param nowMs monotonic clock
 */
export function createPacer(nowMs = runningMs, random = Math.random) {
  let pausedUntilMs = 0;
  let intervalMs = 0;
  let nextSlotMs = 0;
  /** Exponential, with jitter so that clients do not retry in step. */
  const backoff = (tries: number): number =>
    FIRST_WAIT_MS * 2 ** (tries - 1) * (0.75 + random() / 2);
  /** For the requests of one run. */
  const pacing = (
    rules: RetryRules,
    onEvent: (event: EmbeddingEvent) => void = () => undefined,
  ): Pacing => {
    /** Consecutive pauses without a success. Those of other runs leave this one its tries. */
    let rounds = 0;
    /** Pauses all requests. @returns false to give up instead */
    const pause = (now: number, askedMs: number | undefined): boolean => {
      if (now - pausedUntilMs > FORGOTTEN_MS) rounds = 0;
      rounds += 1;
      const most = askedMs === undefined ? rules.maxUntimedLimits : rules.maxTries;
      if (rounds >= most) return false;
      const waitMs = Math.min(rules.maxWaitMs, askedMs ?? backoff(rounds));
      pausedUntilMs = now + waitMs;
      // Later pauses show how long the limit lasts, not that the pace is too high.
      if (rounds < rules.maxTries) {
        intervalMs = Math.min(MAX_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, intervalMs * 2));
      }
      onEvent({ type: 'rate.limited', waitMs, askedMs, perSecond: 1000 / intervalMs });
      return true;
    };
    /** The wait after a rate limit. Those of requests already in flight count as the same pause. */
    const delayAfterLimit = (askedMs: number | undefined): number | undefined => {
      const now = nowMs();
      if (now >= pausedUntilMs && !pause(now, askedMs)) return undefined;
      // A longer pause may have begun while the request was in flight.
      const leftMs = Math.max(1, pausedUntilMs - now);
      return isTooLong(leftMs, rules) ? undefined : leftMs;
    };
    return {
      ready: async (signal) => {
        for (;;) {
          signal.throwIfAborted();
          const now = nowMs();
          const waitMs = Math.max(pausedUntilMs, nextSlotMs) - now;
          // Whoever waits for a query would otherwise learn that nobody answered.
          if (isTooLong(waitMs, rules)) {
            throw new VendorFault('rate', 'the rate of requests is limited', { waitMs });
          }
          if (waitMs <= 0) {
            nextSlotMs = now + intervalMs;
            return;
          }
          await abortableSleep(waitMs, signal);
        }
      },
      delayAfter: (fault, tries) => {
        if (!isTransient(fault)) return undefined;
        const { kind, status, waitMs: askedMs } = fault.details;
        if (isTooLong(askedMs ?? 0, rules)) return undefined;
        if (kind === 'rate') return delayAfterLimit(askedMs);
        const isUnanswered = kind === 'timeout' && status === undefined;
        if (tries >= (isUnanswered ? rules.maxTimeouts : rules.maxTries)) return undefined;
        const waitMs = Math.min(rules.maxWaitMs, askedMs ?? backoff(tries));
        onEvent({ type: 'request.retried', why: fault.details.message, waitMs });
        return Math.max(1, waitMs);
      },
      succeeded: () => {
        rounds = 0;
        intervalMs *= RECOVERY;
        if (intervalMs < MIN_INTERVAL_MS) intervalMs = 0;
      },
    };
  };
  return { pacing };
}

/**
 * Sends a request again as the pacing decides.
 *
 * @throws the last VendorFault, any other error of `send` at once, or the signal's reason
 */
export async function withRetries<T>(
  pacing: Pacing,
  signal: AbortSignal,
  send: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    await pacing.ready(signal);
    try {
      const answer = await send();
      pacing.succeeded();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof VendorFault)) throw error;
      const waitMs = pacing.delayAfter(error, tries);
      if (waitMs === undefined) throw error;
      await abortableSleep(waitMs, signal);
    }
  }
}
