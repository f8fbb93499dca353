import type { Connection } from '../../sqlite/database.js';
import type { NotificationRecord } from '../notify/notification-record.js';
import { type Columns, recordTable, selectFrom } from './record-table.js';

const COLUMNS: Columns<NotificationRecord> = {
  seq: 'seq',
  notificationId: 'id',
  kind: 'kind',
  ownerKey: 'owner_key',
  flowId: 'flow_id',
  taskId: 'task_id',
  payload: 'payload',
  createdAt: 'created_at',
  attempts: 'attempts',
  nextAttemptAt: 'next_attempt_at',
  settledAt: 'settled_at',
  outcome: 'outcome',
  lastError: 'last_error',
};

const SELECT_NOTIFICATION = selectFrom('notifications', COLUMNS);

/** The outbox. Callers hold a transaction where they write. */
export interface NotificationRows {
  insert(notification: Omit<NotificationRecord, 'seq'>): NotificationRecord;
  update(notification: NotificationRecord): void;
  byId(notificationId: string): NotificationRecord | undefined;
  /** Oldest first. */
  due(nowMs: number, limit: number): readonly NotificationRecord[];
  /** When the next one is due, epoch milliseconds; undefined when none is left. */
  nextDueAt(): number | undefined;
  /** How many are not settled. */
  pending(): number;
  /** Deletes those settled before a moment. @returns how many */
  prune(beforeMs: number, limit: number): number;
}

/** Prepares the statements of the outbox. */
export function notificationRows(database: Connection): NotificationRows {
  const table = recordTable<NotificationRecord>(database, 'notifications', COLUMNS);
  const byId = database.prepare<[string], NotificationRecord>(
    `${SELECT_NOTIFICATION} WHERE id = ?`,
  );
  const due = database.prepare<[number, number], NotificationRecord>(
    `${SELECT_NOTIFICATION} WHERE next_attempt_at <= ? ORDER BY next_attempt_at, seq LIMIT ?`,
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
    insert: (notification) => ({ seq: table.insert(notification), ...notification }),
    update: table.update,
    byId: (id) => byId.get(id),
    due: (nowMs, limit) => due.all(nowMs, limit),
    nextDueAt: () => next.get() ?? undefined,
    pending: () => pending.get() ?? 0,
    prune: (beforeMs, limit) => prune.run(beforeMs, limit).changes,
  };
}
