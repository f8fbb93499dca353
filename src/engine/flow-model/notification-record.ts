import { field, nullable, printer, type RecordOf } from './fields.js';
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
  seq: field('count', 'Identifies the delivery of one notification to one target on this store.', {
    operators: 'number',
  }),
  notificationId: field('text', 'The same for every attempt and target, and unique to the event.', {
    column: 'id',
  }),
  target: field(
    'text',
    'Who it is for: `default`, the id of a target, or `route:` and a route with a callback.',
  ),
  kind: field(NOTIFICATION_KINDS, 'What happened.'),
  ownerKey: field('text', 'The session that it is for.', { operators: 'sessionKey' }),
  flowId: field('text', 'The flow.'),
  taskId: nullable('text', 'The task.'),
  payload: field('json', 'What is sent, as JSON.'),
  createdAt: field('time', 'When it happened.'),
  attempts: field(
    'count',
    'Delivery attempts, including one in progress; a retry starts again at 0.',
  ),
  retries: field('count', 'How often an operator retried it.'),
  nextAttemptAt: nullable('time', 'When to attempt delivery next; empty once it is settled.'),
  settledAt: nullable('time', 'When it was delivered or given up.'),
  outcome: field(NOTIFICATION_OUTCOMES, 'Whether it was delivered.'),
  lastError: nullable('text', 'Why the last attempt failed.'),
};

/** A notification for one target as it is stored. */
export interface NotificationRecord extends RecordOf<typeof NOTIFICATION_FIELDS> {
  readonly flowId: FlowId;
  readonly taskId: TaskId | null;
}

/** Identifies a notification for one target in all stores. */
export type NotificationKey = Pick<NotificationRecord, 'notificationId' | 'target'>;

/** A notification as operators see it. */
export const notificationOutput = printer(NOTIFICATION_FIELDS);
