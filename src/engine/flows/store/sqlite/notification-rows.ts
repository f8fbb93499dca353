import {
  NOTIFICATION_FIELDS,
  type NotificationRecord,
} from '../../../flow-model/notification-record.js';
import type { Connection } from '../../../sqlite/database.js';
import type { NotificationFilters, NotificationRows } from '../../flow-store.js';
import { atLeast, equals, recordTable, selectFrom, whereOf } from './record-table.js';

const SELECT_NOTIFICATION = selectFrom('notifications', NOTIFICATION_FIELDS);

/** The table of notifications. Callers hold a transaction where they write. */
export function notificationRows(database: Connection): NotificationRows {
  const table = recordTable<NotificationRecord>(database, 'notifications', NOTIFICATION_FIELDS);
  const select = <Values extends unknown[]>(condition: string) =>
    database.prepare<Values, NotificationRecord>(`${SELECT_NOTIFICATION} ${condition}`);
  const count = <Values extends unknown[]>(condition: string) =>
    database.prepare<Values, number>(`SELECT count(*) FROM notifications ${condition}`).pluck();
  const ofEvent = select<[string]>('WHERE id = ? ORDER BY seq');
  const due = select<[object]>(
    `WHERE target = @target AND next_attempt_at <= @nowMs
       AND flow_id NOT IN (SELECT value FROM json_each(@exceptFlows))
       AND flow_id NOT IN (SELECT flow_id FROM notifications
         WHERE target = @target AND next_attempt_at > @nowMs
           AND attempts > 0 AND last_error IS NULL)
     ORDER BY next_attempt_at, seq LIMIT @limit`,
  );
  const next = database
    .prepare<[string], number | null>(
      `SELECT min(next_attempt_at) FROM notifications
       WHERE target = ? AND next_attempt_at IS NOT NULL`,
    )
    .pluck();
  const pending = count<[]>('WHERE next_attempt_at IS NOT NULL');
  const prune = database.prepare<[object]>(
    `DELETE FROM notifications WHERE seq IN (
       SELECT seq FROM notifications WHERE settled_at < @deliveredMs
         AND (outcome = 'delivered' OR settled_at < @failedMs) LIMIT @limit)`,
  );
  return {
    ...table,
    ofEvent: async (notificationId) => ofEvent.all(notificationId),
    bySeq: async (seq) => select<[number]>('WHERE seq = ?').get(seq),
    list: async (filter) => {
      const { sql, values } = whereIn(filter);
      return select(`${sql} ORDER BY seq DESC LIMIT ?`).all(...values, filter.limit);
    },
    count: async (filter) => {
      const { sql, values } = whereIn(filter);
      return count(sql).get(...values) ?? 0;
    },
    failedAfter: async (seq, filter, limit) => {
      const { sql, values } = whereIn({ ...filter, outcome: 'failed' });
      return select(`${sql} AND seq > ? ORDER BY seq LIMIT ?`).all(...values, seq, limit);
    },
    unclaimed: async (targets, beforeMs, limit) =>
      select(
        `WHERE next_attempt_at < ? AND target NOT IN (SELECT value FROM json_each(?)) LIMIT ?`,
      ).all(beforeMs, JSON.stringify(targets), limit),
    due: async (nowMs, { target, limit, exceptFlows = [] }) =>
      due.all({ target, nowMs, exceptFlows: JSON.stringify(exceptFlows), limit }),
    nextDueAt: async (targets) =>
      new Map(
        targets.flatMap((target) => {
          const at = next.get(target) ?? null;
          return at === null ? [] : [[target, at] as const];
        }),
      ),
    pending: async () => pending.get() ?? 0,
    failed: async () => count<[]>(`WHERE outcome = 'failed'`).get() ?? 0,
    prune: async (before, limit) => prune.run({ ...before, limit }).changes,
  };
}

function whereIn({ outcome, target, flowId, sinceMs }: Omit<NotificationFilters, 'limit'>) {
  return whereOf([
    equals('outcome', outcome),
    equals('target', target),
    equals('flow_id', flowId),
    atLeast('created_at', sinceMs),
  ]);
}
