import type { FlowStore } from './flow-store.js';
import type { NotificationRecord } from './notify/notification-record.js';
import { markDelivered, markFailed, takeDue } from './notify/outbox.js';

/** What has to be told to somebody, and has been written down together with what it tells. */
export interface NotificationOutbox {
  /**
   * Takes what is due, for this process alone until the hold ends; then it is due again. Each must be
   * settled with one of the two below.
   */
  takeDue(options: {
    readonly limit: number;
    readonly holdMs: number;
  }): Promise<readonly NotificationRecord[]>;
  /** @returns false when it was settled before */
  markDelivered(notificationId: string): Promise<boolean>;
  /** Tried again after a rest; given up when `permanent`, or after ten tries (half an hour). */
  markFailed(
    notificationId: string,
    failure: { readonly error: string; readonly permanent?: boolean | undefined },
  ): Promise<boolean>;
  /** When the next one is due, epoch milliseconds; undefined when nothing is left. */
  nextDueAt(): number | undefined;
  /** How many are not settled. */
  pending(): number;
}

/** The outbox of an open store. */
export function notificationOutbox(store: FlowStore): NotificationOutbox {
  return {
    takeDue: (options) => store.write((work) => takeDue(work, options)),
    markDelivered: (id) => store.write((work) => markDelivered(work, id)),
    markFailed: (id, failure) => store.write((work) => markFailed(work, id, failure)),
    nextDueAt: () => store.read(({ notifications }) => notifications.nextDueAt()),
    pending: () => store.read(({ notifications }) => notifications.pending()),
  };
}
