import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../../errors/index.js';
import type { Flows, NotificationRecord } from '../../flows/index.js';
import { createSecretMask } from '../../secrets/index.js';
import { doublingRestMs } from '../../support/time.js';

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
    };

/** Where notifications go. */
export interface NotificationTarget {
  /** Makes one attempt. @throws the signal's reason */
  send(notification: NotificationRecord, signal: AbortSignal): Promise<DeliveryOutcome>;
}

const POLL_MS = 200;
/** After a failure to read the outbox; doubles with each one in a row. */
const TROUBLE_REST_MS = 1000;
const LONGEST_TROUBLE_REST_MS = 10_000;
/** Flows with deliveries at the same time. */
const SLOTS = 4;
/** As long as a batch in one lane can take, and some more. */
const HOLD_MS = (SLOTS + 1) * DELIVERY_TIMEOUT_MS;

export interface DeliveryOptions {
  /** Open as long as it works; closed by its owner. */
  readonly flows: Pick<Flows, 'now' | 'outbox' | 'rest' | 'version'>;
  readonly target: NotificationTarget;
  readonly log: Logger;
  /** Called with the last failure; with undefined after the next success. */
  readonly onTrouble?: ((error: string | undefined) => void) | undefined;
}

/**
 * Delivers what is in the outbox. Notifications of one flow are sent one at a time, in order; a retried one
 * comes later than those after it. A delivery that hangs delays only its own flow.
 */
export class NotificationDelivery {
  private readonly options: DeliveryOptions;
  private readonly ending = new AbortController();
  private readonly cut = new AbortController();
  private readonly mask = createSecretMask();
  /** Deliveries in progress, by flow. */
  private readonly lanes = new Map<string, Promise<void>>();
  private working: Promise<void> = Promise.resolve();

  constructor(options: DeliveryOptions) {
    this.options = options;
  }

  start(): void {
    this.working = this.deliverOn();
  }

  /** Starts no more, and waits for those in progress. */
  async drain(): Promise<void> {
    this.ending.abort();
    await this.working;
    await Promise.all(this.lanes.values());
  }

  /** Aborts those in progress; they are retried after the next start. */
  async stop(): Promise<void> {
    this.cut.abort();
    await this.drain();
  }

  private async deliverOn(): Promise<void> {
    const { log } = this.options;
    const { signal } = this.ending;
    let failures = 0;
    while (!signal.aborted) {
      try {
        while (this.lanes.size >= SLOTS) await Promise.race(this.lanes.values());
        const due = (await this.isDue()) ? await this.takeDue() : [];
        if (due.length > 0) this.deliverAll(due);
        else await this.untilMore();
        failures = 0;
      } catch (error) {
        failures += 1;
        log.error({ err: error }, 'could not read the outbox');
        const restMs = doublingRestMs(failures, TROUBLE_REST_MS, LONGEST_TROUBLE_REST_MS);
        await sleep(restMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async isDue(): Promise<boolean> {
    const { flows } = this.options;
    const dueAt = await flows.outbox.nextDueAt();
    return dueAt !== undefined && dueAt <= flows.now();
  }

  private async untilMore(): Promise<void> {
    const { flows } = this.options;
    const { signal } = this.ending;
    const seen = await flows.version();
    do {
      await flows.rest(POLL_MS, signal);
    } while (!signal.aborted && (await flows.version()) === seen && !(await this.isDue()));
  }

  private takeDue(): Promise<readonly NotificationRecord[]> {
    return this.options.flows.outbox.takeDue({
      limit: SLOTS - this.lanes.size,
      holdMs: HOLD_MS,
      exceptFlows: [...this.lanes.keys()],
    });
  }

  private deliverAll(due: readonly NotificationRecord[]): void {
    for (const flowId of new Set(due.map((notification) => notification.flowId))) {
      const ofOne = due.filter((notification) => notification.flowId === flowId);
      const lane = this.deliverInTurn(ofOne).finally(() => this.lanes.delete(flowId));
      this.lanes.set(flowId, lane);
    }
  }

  private async deliverInTurn(notifications: readonly NotificationRecord[]): Promise<void> {
    try {
      for (const notification of notifications) await this.deliver(notification);
    } catch (error) {
      // The rest is due again when the hold ends.
      this.options.log.error({ err: error }, 'could not update the outbox');
    }
  }

  private async deliver(notification: NotificationRecord): Promise<void> {
    const { flows, log, onTrouble } = this.options;
    const { notificationId: id, kind, attempts } = notification;
    const outcome = await this.tryOnce(notification);
    // It may have arrived: it is due again when the hold ends, with the same id.
    if (outcome === undefined) return;
    if (outcome.ok) {
      await flows.outbox.markDelivered(id);
      onTrouble?.(undefined);
      log.info({ id, kind, attempts }, 'delivered');
      return;
    }
    const error = this.mask.text(outcome.error);
    await flows.outbox.markFailed(id, { error, permanent: outcome.permanent });
    onTrouble?.(error);
    log.warn({ id, kind, attempts, error }, 'could not be delivered');
  }

  private async tryOnce(notification: NotificationRecord): Promise<DeliveryOutcome | undefined> {
    const { signal } = this.cut;
    if (signal.aborted) return undefined;
    try {
      return await this.options.target.send(notification, signal);
    } catch (error) {
      return signal.aborted ? undefined : { ok: false, error: messageOf(error) };
    }
  }
}
