import type { Logger } from 'pino';
import { faultFields, messageOf } from '../../errors/index.js';
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

/**
 * Delivers what is in the outbox. Notifications of one flow are sent to a target one at a time, in order; a retried
 * one comes later than those after it. A delivery that hangs delays only its own flow, and only at its target: each
 * target has its own slots.
 */
export class NotificationDelivery {
  private readonly options: DeliveryOptions;
  private readonly ending = new AbortController();
  private readonly aborting = new AbortController();
  private readonly mask = createSecretMask();
  /** Deliveries in progress, by target and flow. */
  private readonly lanes: ReadonlyMap<string, Map<string, Promise<void>>>;
  /** The last failure of each target, until its next success. */
  private readonly problems = new Map<string, unknown>();
  private delivering: Promise<void> = Promise.resolve();

  constructor(options: DeliveryOptions) {
    this.options = options;
    this.lanes = new Map([...options.targets.keys()].map((target) => [target, new Map()]));
  }

  start(): void {
    this.delivering = this.deliverUntilEnd();
  }

  /** Starts no more, and waits for those in progress. */
  async drain(): Promise<void> {
    this.ending.abort();
    await this.delivering;
    await Promise.all(this.inProgress());
  }

  /** Aborts those in progress. They may have arrived, and are sent again after the next start, with the same id. */
  async stop(): Promise<void> {
    this.aborting.abort();
    await this.drain();
  }

  private async deliverUntilEnd(): Promise<void> {
    const { flows, log } = this.options;
    const { signal } = this.ending;
    let failures = 0;
    while (!signal.aborted) {
      try {
        while (this.freeTargets().length === 0) await Promise.race(this.inProgress());
        let taken = 0;
        for (const target of await this.dueTargets()) taken += await this.deliverDue(target);
        if (taken === 0) await flows.waitForWork(signal);
        failures = 0;
      } catch (error) {
        failures += 1;
        log.error(faultFields(error), `could not read the outbox: ${messageOf(error)}`);
        await sleepAtMost(storeBackoffMs(failures), signal);
      }
    }
  }

  private inProgress(): readonly Promise<void>[] {
    return [...this.lanes.values()].flatMap((lanes) => [...lanes.values()]);
  }

  /** Those with a free slot. */
  private freeTargets(): readonly string[] {
    return [...this.lanes].flatMap(([target, lanes]) => (lanes.size < SLOTS ? [target] : []));
  }

  /** Those of them that something is due for. */
  private async dueTargets(): Promise<readonly string[]> {
    const { flows } = this.options;
    const dueAt = await flows.outbox.nextDueAt(this.freeTargets());
    const nowMs = flows.now();
    return [...dueAt].flatMap(([target, at]) => (at <= nowMs ? [target] : []));
  }

  /** @returns how many it took */
  private async deliverDue(target: string): Promise<number> {
    const lanes = this.lanes.get(target) ?? new Map<string, Promise<void>>();
    const due = await this.options.flows.outbox.takeDue({
      target,
      limit: SLOTS - lanes.size,
      holdMs: HOLD_MS,
      exceptFlows: [...lanes.keys()],
    });
    for (const [flowId, ofFlow] of groupBy(due, (notification) => notification.flowId)) {
      const lane = this.deliverInTurn(ofFlow).finally(() => lanes.delete(flowId));
      lanes.set(flowId, lane);
    }
    return due.length;
  }

  private async deliverInTurn(notifications: readonly NotificationRecord[]): Promise<void> {
    try {
      for (const [at, notification] of notifications.entries()) {
        // A stop waits for what is in progress, not for the rest.
        if (!this.ending.signal.aborted && (await this.deliver(notification))) continue;
        await this.options.flows.outbox.release(notifications.slice(at));
        return;
      }
    } catch (error) {
      // The rest is due again when the hold ends.
      this.options.log.error(
        faultFields(error),
        `could not update the outbox: ${messageOf(error)}`,
      );
    }
  }

  /** @returns false if it was aborted */
  private async deliver(notification: NotificationRecord): Promise<boolean> {
    const { flows, log } = this.options;
    const { notificationId: id, target, kind, attempts } = notification;
    const outcome = await this.tryOnce(notification);
    if (outcome === undefined) return false;
    if (outcome.ok) {
      await flows.outbox.markDelivered(notification);
      this.setProblem(target, undefined);
      log.info({ id, target, kind, attempts }, 'delivered');
      return true;
    }
    const error = progressLine(this.mask.text(outcome.error));
    await flows.outbox.markFailed(notification, { error, permanent: outcome.permanent });
    this.setProblem(target, outcome.cause ?? new Error(error));
    log.warn({ id, target, kind, attempts, error }, 'could not be delivered');
    return true;
  }

  /** Reports what is wrong with a target; undefined if it works. */
  setProblem(target: string, error: unknown): void {
    if (error === undefined) this.problems.delete(target);
    else this.problems.set(target, error);
    const [only] = this.problems.values();
    const texts = Array.from(this.problems, ([id, problem]) => `${id}: ${messageOf(problem)}`);
    const isNamed = this.options.targets.size > 1 && texts.length > 0;
    this.options.onProblem?.(isNamed ? new Error(texts.join('; ')) : only);
  }

  private async tryOnce(notification: NotificationRecord): Promise<DeliveryOutcome | undefined> {
    const { signal } = this.aborting;
    const target = this.options.targets.get(notification.target);
    if (signal.aborted || target === undefined) return undefined;
    try {
      return await target.send(notification, signal);
    } catch (error) {
      return signal.aborted ? undefined : { ok: false, error: messageOf(error), cause: error };
    }
  }
}
