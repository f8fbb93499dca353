import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { faultFields, messageOf } from '../../errors/index.js';
import type { SecretMask } from '../../masking/index.js';
import { databaseFault } from '../../sqlite/database.js';
import type { Clock } from '../../support/context.js';
import { isWithin } from '../../support/time.js';
import { type NewDelivery, recordedDelivery } from './delivery.js';
import {
  DeliveryFile,
  type DeliveryLimits,
  deliveriesFile,
  mostKept,
  setAsideDeliveries,
} from './delivery-file.js';
import type { DeliveryDetails } from './delivery-record.js';

/** How long a delivery waits for others to be written with. */
const WRITE_AFTER_MS = 200;
/** After a failed write: a full disk or a locked file lasts a while. */
const RETRY_AFTER_MS = 1000;
/** How often the reason is logged. */
const FAILURE_EVERY_MS = 60_000;
/** Deliveries written at once, while requests have to wait. */
const BATCH = 50;
/** Writing takes at most this share of the time, however many deliveries there are. */
const SHARE_OF_TIME = 0.03;
/** On a busy machine, writing may take a larger share: what waits is lost if the process is killed. */
const LONGEST_REST_MS = 1000;
/** How often what is too old is removed if nothing arrives. */
const APPLY_LIMITS_MS = 60 * 60_000;
/** Bodies that wait to be written take no more memory. */
const MOST_WAITING_BYTES = 16_000_000;

export interface RecorderOptions {
  readonly stateDir: string;
  readonly limits: DeliveryLimits;
  readonly mask: Pick<SecretMask, 'text'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Why deliveries are not recorded: more waited than are kept, their bodies took too much memory, or writing failed. */
export const DROP_REASONS = ['too_many', 'too_large', 'failed'] as const;

type DropReason = (typeof DROP_REASONS)[number];

/** How many deliveries were recorded and dropped since the start. */
export interface DeliveryCounts {
  readonly recorded: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
}

/**
 * Records deliveries a moment after they were answered. A request only adds a reference to a list, from which the oldest
 * are dropped when more wait than are kept: in a flood, what would be removed again is never masked or written.
 */
export class DeliveryRecorder {
  private readonly options: RecorderOptions;
  private readonly path: string;
  private limits: DeliveryLimits;
  /** By route, and whether the sender was known. */
  private waiting = new Map<string, NewDelivery[]>();
  private waitingBytes = 0;
  private recorded = 0;
  private readonly dropped = { too_many: 0, too_large: 0, failed: 0 };
  private timer: NodeJS.Timeout | undefined;
  private readonly hourly: NodeJS.Timeout;
  private writing: Promise<void> | undefined;
  private file: DeliveryFile | undefined;
  private failedMs = Number.NEGATIVE_INFINITY;
  private readonly closing = new AbortController();

  constructor(options: RecorderOptions) {
    this.options = options;
    this.path = deliveriesFile(options.stateDir);
    this.limits = options.limits;
    this.applyLimits();
    this.hourly = setInterval(() => this.applyLimits(), APPLY_LIMITS_MS).unref();
  }

  get counts(): DeliveryCounts {
    return { recorded: this.recorded, dropped: this.dropped };
  }

  /** Applies other limits. */
  setLimits(limits: DeliveryLimits): void {
    this.limits = limits;
    this.applyLimits();
  }

  /** Never fails. */
  record(delivery: NewDelivery): void {
    if (this.limits.keep === 0 || this.closing.signal.aborted) return;
    const isVerified = delivery.delivery !== undefined;
    const key = `${isVerified}:${delivery.answered.routeId}`;
    const list = this.waiting.get(key) ?? [];
    if (list.length === 0) this.waiting.set(key, list);
    list.push(delivery);
    this.waitingBytes += bytesOf(delivery);
    // In steps: removing the first of a long list moves all others.
    const most = mostKept(this.limits, isVerified);
    if (list.length >= 2 * most) this.drop(list, list.length - most, 'too_many');
    while (this.waitingBytes > MOST_WAITING_BYTES && list.length > 1) {
      this.drop(list, Math.ceil(list.length / 2), 'too_large');
    }
    this.scheduleWrite();
  }

  /** Writes what waits, and closes the file. */
  async close(): Promise<void> {
    this.closing.abort();
    clearTimeout(this.timer);
    clearInterval(this.hourly);
    await this.writing;
    this.writeNow();
    this.closeFile();
  }

  /** Writes what waits, such as before the process may be ended. */
  writeNow(): void {
    const deliveries = this.takeWaiting();
    if (deliveries.length > 0) this.write(deliveries);
  }

  private drop(list: NewDelivery[], count: number, reason: DropReason): void {
    this.dropped[reason] += count;
    for (const dropped of list.splice(0, count)) this.waitingBytes -= bytesOf(dropped);
  }

  private scheduleWrite(): void {
    if (this.closing.signal.aborted || this.writing !== undefined) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      // Not within this call: what a locked file puts back must find that it is being written.
      this.writing = Promise.resolve()
        .then(() => this.writeInParts())
        .finally(() => {
          this.writing = undefined;
          if (this.waiting.size > 0) this.scheduleWrite();
        });
    }, WRITE_AFTER_MS).unref();
  }

  private async writeInParts(): Promise<void> {
    const deliveries = this.takeWaiting();
    for (let at = 0; at < deliveries.length; at += BATCH) {
      const part = deliveries.slice(at, at + BATCH);
      const startedMs = performance.now();
      const isWritten = this.write(part);
      const tookMs = performance.now() - startedMs;
      const restMs = isWritten ? Math.min(tookMs / SHARE_OF_TIME, LONGEST_REST_MS) : RETRY_AFTER_MS;
      const { signal } = this.closing;
      // Without a pause when the process is about to end.
      await sleep(restMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  /** In the order of their arrival, without those beyond the limits. */
  private takeWaiting(): readonly NewDelivery[] {
    const all = [...this.waiting.values()].flatMap((list) => {
      const isVerified = list[0]?.delivery !== undefined;
      const kept = list.slice(-mostKept(this.limits, isVerified));
      this.dropped.too_many += list.length - kept.length;
      return kept;
    });
    this.waiting = new Map();
    this.waitingBytes = 0;
    return all.toSorted((a, b) => a.atMs - b.atMs);
  }

  /** False if they could not be written; they are tried again only if another process was writing. */
  private write(deliveries: readonly NewDelivery[]): boolean {
    const { mask, clock } = this.options;
    if (this.limits.keep === 0) return true;
    try {
      const { maxBodyBytes } = this.limits;
      const rows = deliveries.map((delivery) => recordedDelivery(delivery, mask, maxBodyBytes));
      this.add(rows, clock.now());
      this.recorded += rows.length;
      return true;
    } catch (error) {
      this.logFailure(error);
      const isRetried = databaseFault(error) === 'busy' && !this.closing.signal.aborted;
      if (isRetried) for (const delivery of deliveries) this.record(delivery);
      else this.dropped.failed += deliveries.length;
      return false;
    }
  }

  private add(rows: readonly Omit<DeliveryDetails, 'seq'>[], nowMs: number): void {
    // Nobody could read what is written to a deleted file.
    if (this.file !== undefined && !existsSync(this.path)) this.closeFile();
    try {
      this.file ??= DeliveryFile.open(this.path);
      this.file.add(rows, this.limits, nowMs);
    } catch (error) {
      if (databaseFault(error) !== 'corrupt') throw error;
      this.closeFile();
      const aside = setAsideDeliveries(this.path);
      const { log } = this.options;
      log.warn({ file: aside }, `the record of deliveries is damaged: ${messageOf(error)}`);
      this.file = DeliveryFile.open(this.path);
      this.file.add(rows, this.limits, nowMs);
    }
  }

  private closeFile(): void {
    this.file?.close();
    this.file = undefined;
  }

  private applyLimits(): void {
    if (!existsSync(this.path)) return;
    try {
      this.file ??= DeliveryFile.open(this.path);
      if (this.limits.keep === 0) this.file.clear();
      else this.file.applyLimits(this.limits, this.options.clock.now());
    } catch (error) {
      // The next delivery replaces a damaged record, and there is no hurry while another process writes.
      const fault = databaseFault(error);
      if (fault !== 'corrupt' && fault !== 'busy') this.logFailure(error);
    }
  }

  private logFailure(error: unknown): void {
    const nowMs = this.options.clock.now();
    if (isWithin(this.failedMs, nowMs, FAILURE_EVERY_MS)) return;
    this.failedMs = nowMs;
    const message = `deliveries cannot be recorded: ${messageOf(error)}`;
    this.options.log.error(faultFields(error), message);
  }
}

function bytesOf({ delivery }: NewDelivery): number {
  return delivery?.body.length ?? 0;
}
