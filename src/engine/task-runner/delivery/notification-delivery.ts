import type { Logger } from 'pino';
import { failureLogger, faultFields, messageOf } from '../../errors/index.js';
import type { NotificationRecord } from '../../flow-model/notification-record.js';
import { type Flows, storeBackoffMs } from '../../flows/index.js';
import { createSecretMask } from '../../masking/index.js';
import { sleepAtMost } from '../../support/async.js';
import { groupBy } from '../../support/lists.js';
import { progressLine } from '../job.js';

/** How long a receiver can take to accept a notification. */
export const DELIVERY_TIMEOUT_MS = 15_000;

/** The result of one attempt. */
export type DeliveryOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** For people, without secrets. */
      readonly error: string;
      /** No further attempt can succeed. */
      readonly permanent?: boolean;
      /** What was thrown, if anything. */
      readonly cause?: unknown;
    };

/** Where notifications go. */
export interface NotificationTarget {
  /** Makes one attempt. @throws the signal's reason */
  send(notification: NotificationRecord, signal: AbortSignal): Promise<DeliveryOutcome>;
}

/** Flows of one target with deliveries at the same time. */
const SLOTS = 4;
/** As long as a batch in one lane can take, and some more. */
const HOLD_MS = (SLOTS + 1) * DELIVERY_TIMEOUT_MS;

export interface DeliveryOptions {
  /** Open as long as it works; closed by its owner. */
  readonly flows: Pick<Flows, 'now' | 'outbox' | 'waitForWork'>;
  /** By id. */
  readonly targets: ReadonlyMap<string, NotificationTarget>;
  readonly log: Logger;
  /** Called with the last failure of each target, until its next success; with undefined if there is none. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

interface TargetProblem {
  readonly cause: unknown;
  /** As the last failed attempt is logged and stored, if there was one. */
  readonly error?: string;
}

/**
 * Delivers what is in the outbox. Notifications of one flow are sent to a target one at a time, in order; a retried
 * one comes later than those after it. A delivery that hangs delays only its own flow, and only at its target: each
 * target has its own slots.
 */
export function notificationDelivery({ flows, targets, log, onProblem }: DeliveryOptions) {
  const ending = new AbortController();
  const aborting = new AbortController();
  const mask = createSecretMask();
  /** Deliveries in progress, by target and flow. */
  const lanesOf = new Map<string, Map<string, Promise<void>>>(
    [...targets.keys()].map((target) => [target, new Map()]),
  );
  /** The last failure of each target, until its next success. */
  const problems = new Map<string, TargetProblem>();
  let delivering: Promise<void> = Promise.resolve();
  const inProgress = (): readonly Promise<void>[] =>
    [...lanesOf.values()].flatMap((lanes) => [...lanes.values()]);
  /** Those with a free slot. */
  const freeTargets = (): readonly string[] =>
    [...lanesOf].flatMap(([target, lanes]) => (lanes.size < SLOTS ? [target] : []));
  /** Those of them that something is due for. */
  const dueTargets = async (): Promise<readonly string[]> => {
    const dueAt = await flows.outbox.nextDueAt(freeTargets());
    const nowMs = flows.now();
    return [...dueAt].flatMap(([target, at]) => (at <= nowMs ? [target] : []));
  };
  /** Reports what is wrong with a target; undefined if it works. */
  const setProblem = (target: string, problem: TargetProblem | undefined): void => {
    if (problem === undefined) problems.delete(target);
    else problems.set(target, problem);
    const [only] = problems.values();
    const texts = Array.from(problems, ([id, { cause }]) => `${id}: ${messageOf(cause)}`);
    const isNamed = targets.size > 1 && texts.length > 0;
    onProblem?.(isNamed ? new Error(texts.join('; ')) : only?.cause);
  };
  const tryOnce = async (
    notification: NotificationRecord,
  ): Promise<DeliveryOutcome | undefined> => {
    const { signal } = aborting;
    const target = targets.get(notification.target);
    if (signal.aborted || target === undefined) return undefined;
    try {
      return await target.send(notification, signal);
    } catch (error) {
      return signal.aborted ? undefined : { ok: false, error: messageOf(error), cause: error };
    }
  };
  /** @returns false if it was aborted */
  const deliver = async (notification: NotificationRecord): Promise<boolean> => {
    const { notificationId: id, target, kind, attempts } = notification;
    const outcome = await tryOnce(notification);
    if (outcome === undefined) return false;
    if (outcome.ok) {
      await flows.outbox.markDelivered(notification);
      setProblem(target, undefined);
      log.info({ id, target, kind, attempts }, 'delivered');
      return true;
    }
    const error = progressLine(mask.text(outcome.error));
    await flows.outbox.markFailed(notification, { error, permanent: outcome.permanent });
    // A receiver that is down for hours must not displace the rest of the log.
    const level = problems.get(target)?.error === error ? 'debug' : 'warn';
    setProblem(target, { error, cause: outcome.cause ?? new Error(error) });
    log[level]({ id, target, kind, attempts, error }, 'could not be delivered');
    return true;
  };
  const deliverInTurn = async (notifications: readonly NotificationRecord[]): Promise<void> => {
    try {
      for (const [at, notification] of notifications.entries()) {
        // A stop waits for what is in progress, not for the rest.
        if (!ending.signal.aborted && (await deliver(notification))) continue;
        await flows.outbox.release(notifications.slice(at));
        return;
      }
    } catch (error) {
      // The rest is due again when the hold ends.
      log.error(faultFields(error), `could not update the outbox: ${messageOf(error)}`);
    }
  };
  /** @returns how many it took */
  const deliverDue = async (target: string): Promise<number> => {
    const lanes = lanesOf.get(target) ?? new Map<string, Promise<void>>();
    const due = await flows.outbox.takeDue({
      target,
      limit: SLOTS - lanes.size,
      holdMs: HOLD_MS,
      exceptFlows: [...lanes.keys()],
    });
    for (const [flowId, ofFlow] of groupBy(due, (notification) => notification.flowId)) {
      const lane = deliverInTurn(ofFlow).finally(() => lanes.delete(flowId));
      lanes.set(flowId, lane);
    }
    return due.length;
  };
  const deliverUntilEnd = async (): Promise<void> => {
    const { signal } = ending;
    const logFailure = failureLogger(log, 'could not read the outbox');
    let failures = 0;
    while (!signal.aborted) {
      try {
        while (freeTargets().length === 0) await Promise.race(inProgress());
        let taken = 0;
        for (const target of await dueTargets()) taken += await deliverDue(target);
        if (taken === 0) await flows.waitForWork(signal);
        failures = 0;
        logFailure(undefined);
      } catch (error) {
        failures += 1;
        logFailure(error);
        await sleepAtMost(storeBackoffMs(failures), signal);
      }
    }
  };
  /** Starts no more, and waits for those in progress. */
  const drain = async (): Promise<void> => {
    ending.abort();
    await delivering;
    await Promise.all(inProgress());
  };
  return {
    start: (): void => {
      delivering = deliverUntilEnd();
    },
    setProblem,
    drain,
    /** Aborts those in progress. They may have arrived, and are sent again after the next start, with the same id. */
    stop: async (): Promise<void> => {
      aborting.abort();
      await drain();
    },
  };
}
