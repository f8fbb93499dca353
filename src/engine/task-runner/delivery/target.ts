import type { NotificationRecord } from '../../flows/index.js';

/** How long somebody may take to accept a notification. */
export const DELIVERY_TIMEOUT_MS = 15_000;

/** What came of one try. */
export type DeliveryOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** For people; holds no secret. */
      readonly error: string;
      /** No further try can succeed. */
      readonly permanent?: boolean;
    };

/** Where notifications go. */
export interface NotificationTarget {
  /** Tries once. @throws the signal's reason */
  send(notification: NotificationRecord, signal: AbortSignal): Promise<DeliveryOutcome>;
}
