import type { Connection } from '../../../sqlite/database.js';
import type { NotificationRows } from '../../flow-store.js';
import { NOTIFICATION_FIELDS, type NotificationRecord } from '../../notification-record.js';
import { recordTable, selectFrom } from './record-table.js';

const SELECT_NOTIFICATION = selectFrom('notifications', NOTIFICATION_FIELDS);

/** The table of notifications. Callers hold a transaction where they write. */
export function notificationRows(database: Connection): NotificationRows {
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
    byId: async (id) => byId.get(id),
    due: async (nowMs, { limit, exceptFlows = [] }) =>
      due.all(nowMs, JSON.stringify(exceptFlows), limit),
    nextDueAt: async () => next.get() ?? undefined,
    pending: async () => pending.get() ?? 0,
    prune: async (beforeMs, limit) => prune.run(beforeMs, limit).changes,
  };
}
