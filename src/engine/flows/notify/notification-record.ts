import type { FlowId, TaskId } from '../ids.js';

/** What a notification tells of. */
export type NotificationKind =
  | 'flow.changed'
  | 'flow.ended'
  | 'task.ended'
  | 'task.progress'
  | 'task.queued'
  | 'task.started';

/** Something that has to be told, as it is stored. Times are milliseconds since the epoch. */
export interface NotificationRecord {
  /** Grows with each one; the order they happened in. */
  readonly seq: number;
  /** The same for every try, and for no other event: receivers know repetitions by it. */
  readonly notificationId: string;
  readonly kind: NotificationKind;
  readonly ownerKey: string;
  readonly flowId: FlowId;
  readonly taskId: TaskId | null;
  /** What is sent, as JSON text; see {@link NotificationPayload}. */
  readonly payload: string;
  readonly createdAt: number;
  /** How often it was tried, the present try included. */
  readonly attempts: number;
  /** When it is tried, or tried again; `null` when it is settled. */
  readonly nextAttemptAt: number | null;
  readonly settledAt: number | null;
  readonly outcome: 'pending' | 'delivered' | 'failed';
  readonly lastError: string | null;
}
