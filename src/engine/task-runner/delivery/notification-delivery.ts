import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../context.js';
import { messageOf } from '../../errors/index.js';
import type { Flows, NotificationRecord } from '../../flows/index.js';
import { createSecretMask } from '../../secrets/mask/secret-mask.js';
import { DELIVERY_TIMEOUT_MS, type DeliveryOutcome, type NotificationTarget } from './target.js';

const LOOK_MS = 200;
const TROUBLE_REST_MS = 1000;
/** Taken at once. */
const BATCH = 4;
/** All of them one after the other, each at its longest, and some more. */
const HOLD_MS = (BATCH + 1) * DELIVERY_TIMEOUT_MS;

/** What delivering needs of the process around it. */
export interface DeliveryOptions {
  /** Open for as long as it works; whoever made it closes it. */
  readonly flows: Pick<Flows, 'outbox' | 'version'>;
  readonly target: NotificationTarget;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told what went wrong last; undefined when the next one arrived. */
  readonly onTrouble?: ((error: string | undefined) => void) | undefined;
}

/**
 * Delivers what is in the outbox. What belongs to one flow goes one after the other, in the order it
 * happened; what has to be tried again comes later than what follows it. Made, started once, ended.
 */
export class NotificationDelivery {
  private readonly options: DeliveryOptions;
  private readonly ending = new AbortController();
  private readonly cut = new AbortController();
  private readonly mask = createSecretMask();
  private working: Promise<void> = Promise.resolve();

  constructor(options: DeliveryOptions) {
    this.options = options;
  }

  start(): void {
    this.working = this.deliverOn();
  }

  /** Takes no more, and waits for those that are on their way. */
  async drain(): Promise<void> {
    this.ending.abort();
    await this.working;
  }

  /** Cuts off those that are on their way; they are tried again after the next start. */
  async stop(): Promise<void> {
    this.cut.abort();
    await this.drain();
  }

  private async deliverOn(): Promise<void> {
    const { flows, log } = this.options;
    const { signal } = this.ending;
    while (!signal.aborted) {
      try {
        const due = this.isDue()
          ? await flows.outbox.takeDue({ limit: BATCH, holdMs: HOLD_MS })
          : [];
        if (due.length > 0) await this.deliverAll(due);
        else await this.untilMore();
      } catch (error) {
        log.error({ err: error }, 'could not work on the outbox');
        await sleep(TROUBLE_REST_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private isDue(): boolean {
    const { flows, clock } = this.options;
    const dueAt = flows.outbox.nextDueAt();
    return dueAt !== undefined && dueAt <= clock.now();
  }

  private async untilMore(): Promise<void> {
    const { flows } = this.options;
    const { signal } = this.ending;
    const seen = flows.version();
    do {
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    } while (!signal.aborted && flows.version() === seen && !this.isDue());
  }

  private async deliverAll(due: readonly NotificationRecord[]): Promise<void> {
    const flowIds = [...new Set(due.map(({ flowId }) => flowId))];
    await Promise.all(
      flowIds.map(async (flowId) => {
        const ofOne = due.filter((notification) => notification.flowId === flowId);
        for (const notification of ofOne) await this.deliver(notification);
      }),
    );
  }

  private async deliver(notification: NotificationRecord): Promise<void> {
    const { flows, log, onTrouble } = this.options;
    const { notificationId: id, kind, attempts } = notification;
    const outcome = await this.tryOnce(notification);
    // Whether it arrived nobody knows: it is due again when the hold ends, under the same id.
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
