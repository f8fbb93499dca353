import { type Fields, printer, type RecordOf } from './fields.js';
import type { FlowId, TaskId } from './ids.js';

/** What notifications are about. */
export const NOTIFICATION_KINDS = [
  'flow.changed',
  'flow.ended',
  'task.ended',
  'task.progress',
  'task.queued',
  'task.started',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

const NOTIFICATION_OUTCOMES = ['pending', 'delivered', 'failed'] as const;
export type NotificationOutcome = (typeof NOTIFICATION_OUTCOMES)[number];

export const NOTIFICATION_FIELDS = {
  seq: {
    kind: 'count',
    meaning: 'Identifies the delivery of one notification to one target on this store.',
    operators: 'number',
  },
  notificationId: {
    kind: 'text',
    meaning: 'The same for every attempt and target, and unique to the event.',
    column: 'id',
  },
  target: {
    kind: 'text',
    meaning:
      'Who it is for: `default`, the id of a target, or `route:` and a route with a callback.',
  },
  kind: { kind: NOTIFICATION_KINDS, meaning: 'What happened.' },
  ownerKey: { kind: 'text', meaning: 'The session that it is for.', operators: 'sessionKey' },
  flowId: { kind: 'text', meaning: 'The flow.' },
  taskId: { kind: 'text', meaning: 'The task.', nullable: true },
  payload: { kind: 'json', meaning: 'What is sent, as JSON.' },
  createdAt: { kind: 'time', meaning: 'When it happened.' },
  attempts: {
    kind: 'count',
    meaning: 'Delivery attempts, including one in progress; a retry starts again at 0.',
  },
  retries: { kind: 'count', meaning: 'How often an operator retried it.' },
  nextAttemptAt: {
    kind: 'time',
    meaning: 'When to attempt delivery next; empty once it is settled.',
    nullable: true,
  },
  settledAt: { kind: 'time', meaning: 'When it was delivered or given up.', nullable: true },
  outcome: { kind: NOTIFICATION_OUTCOMES, meaning: 'Whether it was delivered.' },
  lastError: { kind: 'text', meaning: 'Why the last attempt failed.', nullable: true },
} as const satisfies Fields;

/** A notification for one target as it is stored. */
export interface NotificationRecord extends RecordOf<typeof NOTIFICATION_FIELDS> {
  readonly flowId: FlowId;
  readonly taskId: TaskId | null;
}

/** Identifies a notification for one target in all stores. */
export type NotificationKey = Pick<NotificationRecord, 'notificationId' | 'target'>;

/** A notification as operators see it. */
export const notificationOutput = printer(NOTIFICATION_FIELDS);
