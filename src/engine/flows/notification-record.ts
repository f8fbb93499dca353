import type { Fields, RecordOf } from './fields.js';
import type { FlowId, TaskId } from './ids.js';

export const NOTIFICATION_FIELDS = {
  seq: { kind: 'count', meaning: 'Grows with each one; the order they happened in.' },
  notificationId: {
    kind: 'text',
    meaning: 'The same for every attempt and unique to the event, so receivers can deduplicate.',
    column: 'id',
  },
  kind: {
    kind: [
      'flow.changed',
      'flow.ended',
      'task.ended',
      'task.progress',
      'task.queued',
      'task.started',
    ],
    meaning: 'What happened.',
  },
  ownerKey: { kind: 'text', meaning: 'The session that it is for.' },
  flowId: { kind: 'text', meaning: 'The flow.' },
  taskId: { kind: 'text', meaning: 'The task.', nullable: true },
  payload: { kind: 'json', meaning: 'What is sent, as JSON.' },
  createdAt: { kind: 'time', meaning: 'When it happened.' },
  attempts: { kind: 'count', meaning: 'Delivery attempts, including one in progress.' },
  nextAttemptAt: {
    kind: 'time',
    meaning: 'When to attempt delivery next; empty once it is settled.',
    nullable: true,
  },
  settledAt: { kind: 'time', meaning: 'When it was delivered or given up.', nullable: true },
  outcome: { kind: ['pending', 'delivered', 'failed'], meaning: 'Whether it was delivered.' },
  lastError: { kind: 'text', meaning: 'Why the last attempt failed.', nullable: true },
} as const satisfies Fields;

/** A notification as it is stored. */
export interface NotificationRecord extends RecordOf<typeof NOTIFICATION_FIELDS> {
  readonly flowId: FlowId;
  readonly taskId: TaskId | null;
}
