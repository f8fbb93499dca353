import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddingEvent } from '../embedding-adapter.js';
import { isTransient, type VendorFault } from '../vendor-fault.js';

/** How often and how patiently a request is sent again. */
export interface RetryRules {
  /** Tries of one request, the first included; of a rate limit: rounds without any success. */
  readonly maxTries: number;
  /** No single wait is longer; a vendor that asks for more is given up on when `giveUpOnLongWaits`. */
  readonly maxWaitMs: number;
  readonly giveUpOnLongWaits: boolean;
}

/** For indexing: a run may take hours, a wait of a minute is nothing. */
export const PATIENT: RetryRules = { maxTries: 5, maxWaitMs: 60_000, giveUpOnLongWaits: false };
/** For a question that somebody waits for. */
export const INTERACTIVE: RetryRules = { maxTries: 3, maxWaitMs: 5_000, giveUpOnLongWaits: true };
/** For a probe, which tells what happens. */
export const ONCE: RetryRules = { maxTries: 1, maxWaitMs: 0, giveUpOnLongWaits: true };

/** What a request needs to know before it is sent, and after it failed. */
export interface Pacing {
  /** Resolves when the next request may be sent; rejects with the signal's reason. */
  ready(signal: AbortSignal): Promise<void>;
  /** How long to wait before the next try, in milliseconds; undefined gives up. */
  delayAfter(fault: VendorFault, tries: number): number | undefined;
  succeeded(): void;
}

const FIRST_WAIT_MS = 500;
const FIRST_INTERVAL_MS = 250;
const MAX_INTERVAL_MS = 60_000;
/** Below this an interval no longer slows anything. */
const MIN_INTERVAL_MS = 20;
/** How fast the pace recovers with each answered request. */
const RECOVERY = 0.85;

/**
 * Paces all requests of one adapter together: when the vendor says "too many", every request waits,
 * and the rate stays lower until answers come again. So a rate limit slows a run down instead of
 * failing it.
 */
export class Pacer {
  private pausedUntilMs = 0;
  private intervalMs = 0;
  private nextSlotMs = 0;
  /** Pauses since the last answer. */
  private rounds = 0;
  private readonly nowMs: () => number;
  private readonly random: () => number;

  /** @param nowMs a steady clock, in milliseconds */
  constructor(nowMs: () => number, random: () => number) {
    this.nowMs = nowMs;
    this.random = random;
  }

  /** The pacing of one call, with the rules that fit it. */
  pacing(rules: RetryRules, onEvent: (event: EmbeddingEvent) => void): Pacing {
    return {
      ready: (signal) => this.ready(signal),
      delayAfter: (fault, tries) => this.delayAfter(fault, tries, rules, onEvent),
      succeeded: () => this.succeeded(),
    };
  }

  private async ready(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const now = this.nowMs();
      const waitMs = Math.max(this.pausedUntilMs, this.nextSlotMs) - now;
      if (waitMs <= 0) {
        this.nextSlotMs = now + this.intervalMs;
        return;
      }
      await abortableSleep(waitMs, signal);
    }
  }

  private delayAfter(
    fault: VendorFault,
    tries: number,
    rules: RetryRules,
    onEvent: (event: EmbeddingEvent) => void,
  ): number | undefined {
    if (!isTransient(fault)) return undefined;
    const asked = fault.details.waitMs;
    if (rules.giveUpOnLongWaits && asked !== undefined && asked > rules.maxWaitMs) return undefined;
    if (fault.details.kind === 'rate') return this.slowDown(asked, rules, onEvent);
    if (tries >= rules.maxTries) return undefined;
    const waitMs = Math.min(rules.maxWaitMs, asked ?? this.backoff(tries));
    onEvent({ type: 'request.retried', why: fault.details.message, waitMs });
    return Math.max(1, waitMs);
  }

  /** All requests wait; the ones that were under way when the pause began are the same round. */
  private slowDown(
    askedMs: number | undefined,
    rules: RetryRules,
    onEvent: (event: EmbeddingEvent) => void,
  ): number | undefined {
    const now = this.nowMs();
    if (now >= this.pausedUntilMs) {
      this.rounds += 1;
      if (this.rounds >= rules.maxTries) return undefined;
      const waitMs = Math.min(rules.maxWaitMs, askedMs ?? this.backoff(this.rounds));
      this.pausedUntilMs = now + waitMs;
      this.intervalMs = Math.min(MAX_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, this.intervalMs * 2));
      onEvent({ type: 'rate.limited', waitMs, perSecond: 1000 / this.intervalMs });
    }
    return Math.max(1, this.pausedUntilMs - now);
  }

  private succeeded(): void {
    this.rounds = 0;
    this.intervalMs *= RECOVERY;
    if (this.intervalMs < MIN_INTERVAL_MS) this.intervalMs = 0;
  }

  /** Doubling, with jitter so that many clients do not come back at the same moment. */
  private backoff(tries: number): number {
    return FIRST_WAIT_MS * 2 ** (tries - 1) * (0.75 + this.random() / 2);
  }
}

/** Waits; rejects with the signal's reason. */
export async function abortableSleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** For a try that is paced, and made again, around the request: a body that can be read only once. */
export const UNPACED: Pacing = {
  ready: async () => undefined,
  delayAfter: () => undefined,
  succeeded: () => undefined,
};

/**
 * For a request that must not be done twice: it is sent again only after the vendor turned it away,
 * not when it may have been done although no answer came.
 */
export function notTwice(pacing: Pacing): Pacing {
  return {
    ...pacing,
    delayAfter: (fault, tries) =>
      fault.details.kind === 'rate' ? pacing.delayAfter(fault, tries) : undefined,
  };
}

/**
 * Sends a request until it passes or the pacing gives up: for vendors that are not spoken to
 * through the HTTP client, which does the same.
 */
export async function withRetries<T>(
  pacing: Pacing,
  signal: AbortSignal,
  send: () => Promise<T>,
  asFault: (error: unknown) => VendorFault | undefined,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    await pacing.ready(signal);
    try {
      const answer = await send();
      pacing.succeeded();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const fault = asFault(error);
      if (fault === undefined) throw error;
      const waitMs = pacing.delayAfter(fault, tries);
      if (waitMs === undefined) throw fault;
      await abortableSleep(waitMs, signal);
    }
  }
}
