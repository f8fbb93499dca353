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

interface Run {
  readonly rules: RetryRules;
  readonly onEvent: (event: EmbeddingEvent) => void;
  /** Consecutive pauses without a success. Those of other runs leave this one its tries. */
  rounds: number;
}

function isTooLong(waitMs: number, { giveUpOnLongWaits, maxWaitMs }: RetryRules): boolean {
  return giveUpOnLongWaits && waitMs > maxWaitMs;
}

/**
 * Paces all requests of one adapter together: after a rate limit, all requests wait, and the rate
 * stays lower until answers succeed again. A rate limit slows a run down instead of failing it.
 */
export class Pacer {
  private pausedUntilMs = 0;
  private intervalMs = 0;
  private nextSlotMs = 0;
  private readonly nowMs: () => number;
  private readonly random: () => number;

  /** @param nowMs monotonic clock */
  constructor(nowMs = runningMs, random = Math.random) {
    this.nowMs = nowMs;
    this.random = random;
  }

  /** For the requests of one run. */
  pacing(rules: RetryRules, onEvent: Run['onEvent'] = () => undefined): Pacing {
    const run: Run = { rules, onEvent, rounds: 0 };
    return {
      ready: (signal) => this.ready(signal, rules),
      delayAfter: (fault, tries) => this.delayAfter(fault, tries, run),
      succeeded: () => this.succeeded(run),
    };
  }

  private async ready(signal: AbortSignal, rules: RetryRules): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const now = this.nowMs();
      const waitMs = Math.max(this.pausedUntilMs, this.nextSlotMs) - now;
      // Whoever waits for a query would otherwise learn that nobody answered.
      if (isTooLong(waitMs, rules)) {
        throw new VendorFault('rate', 'the rate of requests is limited', { waitMs });
      }
      if (waitMs <= 0) {
        this.nextSlotMs = now + this.intervalMs;
        return;
      }
      await abortableSleep(waitMs, signal);
    }
  }

  private delayAfter(fault: VendorFault, tries: number, run: Run): number | undefined {
    if (!isTransient(fault)) return undefined;
    const { rules, onEvent } = run;
    const { kind, status, waitMs: askedMs } = fault.details;
    if (isTooLong(askedMs ?? 0, rules)) return undefined;
    if (kind === 'rate') return this.slowDown(askedMs, run);
    const isUnanswered = kind === 'timeout' && status === undefined;
    if (tries >= (isUnanswered ? rules.maxTimeouts : rules.maxTries)) return undefined;
    const waitMs = Math.min(rules.maxWaitMs, askedMs ?? this.backoff(tries));
    onEvent({ type: 'request.retried', why: fault.details.message, waitMs });
    return Math.max(1, waitMs);
  }

  /** Pauses all requests; rate limits of requests already in flight count as the same pause. */
  private slowDown(askedMs: number | undefined, run: Run): number | undefined {
    const { rules, onEvent } = run;
    const now = this.nowMs();
    if (now >= this.pausedUntilMs) {
      if (now - this.pausedUntilMs > FORGOTTEN_MS) run.rounds = 0;
      run.rounds += 1;
      const most = askedMs === undefined ? rules.maxUntimedLimits : rules.maxTries;
      if (run.rounds >= most) return undefined;
      const waitMs = Math.min(rules.maxWaitMs, askedMs ?? this.backoff(run.rounds));
      this.pausedUntilMs = now + waitMs;
      // Later pauses show how long the limit lasts, not that the pace is too high.
      if (run.rounds < rules.maxTries) {
        const twice = Math.max(FIRST_INTERVAL_MS, this.intervalMs * 2);
        this.intervalMs = Math.min(MAX_INTERVAL_MS, twice);
      }
      onEvent({ type: 'rate.limited', waitMs, askedMs, perSecond: 1000 / this.intervalMs });
    }
    // A longer pause may have begun while the request was in flight.
    const leftMs = Math.max(1, this.pausedUntilMs - now);
    return isTooLong(leftMs, rules) ? undefined : leftMs;
  }

  private succeeded(run: Run): void {
    run.rounds = 0;
    this.intervalMs *= RECOVERY;
    if (this.intervalMs < MIN_INTERVAL_MS) this.intervalMs = 0;
  }

  /** Exponential, with jitter so that clients do not retry in step. */
  private backoff(tries: number): number {
    return FIRST_WAIT_MS * 2 ** (tries - 1) * (0.75 + this.random() / 2);
  }
}

/**
 * For requests that must not be repeated: retries only if the vendor rejected the request, not if
 * it may have worked.
 */
export function notTwice(pacing: Pacing): Pacing {
  return {
    ...pacing,
    delayAfter: (fault, tries) =>
      fault.details.kind === 'rate' ? pacing.delayAfter(fault, tries) : undefined,
  };
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
