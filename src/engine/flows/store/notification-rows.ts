import type { Connection } from '../../sqlite/database.js';
import type { Fields, RecordOf } from '../fields.js';
import type { FlowId, TaskId } from '../ids.js';
import { recordTable, selectFrom } from './record-table.js';

const NOTIFICATION_FIELDS = {
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

/** Which notifications to take, and for how long. */
export interface TakeDueOptions {
  readonly limit: number;
  readonly holdMs: number;
  /** Flows whose notifications are left alone, so that others come first. */
  readonly exceptFlows?: readonly string[] | undefined;
}

const SELECT_NOTIFICATION = selectFrom('notifications', NOTIFICATION_FIELDS);

/** The table of notifications. Callers hold a transaction where they write. */
export function notificationRows(database: Connection) {
  const table = recordTable<NotificationRecord>(database, 'notifications', NOTIFICATION_FIELDS);
  const byId = database.prepare<[string], NotificationRecord>(
    `${SELECT_NOTIFICATION} WHERE id = ?`,
  );
  const due = database.prepare<[number, string, number], NotificationRecord>(
    `${SELECT_NOTIFICATION} WHERE next_attempt_at <= ?
       AND flow_id NOT IN (SELECT value FROM json_each(?)) ORDER BY next_attempt_at, seq LIMIT ?`,
  );
  const next = database
    .prepare<[], number | null>('SELECT min(next_attempt_at) FROM notifications')
    .pluck();
  const pending = database
    .prepare<[], number>('SELECT count(*) FROM notifications WHERE next_attempt_at IS NOT NULL')
    .pluck();
  const prune = database.prepare<[number, number]>(
    `DELETE FROM notifications WHERE seq IN (
       SELECT seq FROM notifications WHERE settled_at < ? LIMIT ?)`,
  );
  return {
    ...table,
    byId: (id: string) => byId.get(id),
    /** Oldest first. */
    due: (nowMs: number, { limit, exceptFlows = [] }: Omit<TakeDueOptions, 'holdMs'>) =>
      due.all(nowMs, JSON.stringify(exceptFlows), limit),
    /** Epoch milliseconds; undefined when none is left. */
    nextDueAt: () => next.get() ?? undefined,
    /** How many are not settled. */
    pending: () => pending.get() ?? 0,
    /** Deletes those settled before a time. @returns how many */
    prune: (beforeMs: number, limit: number) => prune.run(beforeMs, limit).changes,
  };
}
