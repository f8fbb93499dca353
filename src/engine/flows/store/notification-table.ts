import {
  NOTIFICATION_FIELDS,
  type NotificationRecord,
} from '../../flow-model/notification-record.js';
import type { NotificationFilters, NotificationRows } from '../flow-store.js';
import { countRows, recordRows } from './found-table.js';
import {
  atLeast,
  equals,
  type Lookup,
  recordTable,
  type StoreSql,
  selectFrom,
  whereOf,
} from './store-sql.js';

const NOTIFICATIONS = recordTable('notifications', NOTIFICATION_FIELDS, [
  'notificationId',
  'target',
]);

const OF_EVENT: Lookup<string, NotificationRecord> = {
  sql: (dialect) =>
    `${selectFrom(dialect, NOTIFICATIONS)}
     WHERE ${dialect.isKey('notifications.id')} ORDER BY seq ${dialect.locked('notifications')}`,
  keyOf: ({ notificationId }) => notificationId,
};

/** The table of notifications. What a change finds by its id is locked. */
export function notificationRows(sql: StoreSql): NotificationRows {
  const { schema, isAmong } = sql;
  const select = (condition: string, values: readonly unknown[]) =>
    sql.query<NotificationRecord>(`${selectFrom(sql, NOTIFICATIONS)} ${condition}`, values);
  const whereIn = (filter: Omit<NotificationFilters, 'limit'>) =>
    whereOf([
      equals(sql, 'outcome', filter.outcome),
      equals(sql, 'target', filter.target),
      equals(sql, 'flow_id', filter.flowId),
      atLeast('created_at', filter.sinceMs),
    ]);
  return {
    ...recordRows<NotificationRecord>(sql, NOTIFICATIONS),
    ofEvent: async (notificationId) => {
      await sql.takeTurn('notification', notificationId);
      return sql.find(OF_EVENT, notificationId);
    },
    bySeq: async (seq) => (await select('WHERE seq = $1', [seq]))[0],
    list: (filter) => {
      const { where, values } = whereIn(filter);
      const limit = `$${values.length + 1}`;
      return select(`${where} ORDER BY seq DESC LIMIT ${limit}`, [...values, filter.limit]);
    },
    count: (filter) => countRows(sql, 'notifications', whereIn(filter)),
    failedAfter: (seq, filter, limit) => {
      const { where, values } = whereIn({ ...filter, outcome: 'failed' });
      const [after, most] = [values.length + 1, values.length + 2];
      return select(`${where} AND seq > $${after} ORDER BY seq LIMIT $${most}`, [
        ...values,
        seq,
        limit,
      ]);
    },
    unclaimed: (targets, beforeMs, limit) =>
      select(
        `WHERE next_attempt_at < $1 AND NOT (${isAmong('target', '$2')})
         LIMIT $3 ${sql.taken('notifications')}`,
        [beforeMs, targets, limit],
      ),
    due: async (nowMs, { target, limit, exceptFlows = [] }) => {
      await sql.takeTarget(target);
      return select(
        `WHERE target = $1 AND next_attempt_at <= $2 AND NOT (${isAmong('flow_id', '$3')})
           AND flow_id NOT IN (SELECT flow_id FROM ${schema}notifications
             WHERE target = $1 AND next_attempt_at > $2 AND attempts > 0 AND last_error IS NULL)
         ORDER BY next_attempt_at, seq LIMIT $4 ${sql.taken('notifications')}`,
        [target, nowMs, exceptFlows, limit],
      );
    },
    nextDueAt: async (targets) => {
      const ofTarget = targets.map(
        (_, at) =>
          `SELECT ${at} AS place, min(next_attempt_at) AS at FROM ${schema}notifications
           WHERE target = $${at + 1} AND next_attempt_at IS NOT NULL`,
      );
      if (ofTarget.length === 0) return new Map();
      const rows = await sql.query<{ place: number; at: number | null }>(
        ofTarget.join(' UNION ALL '),
        targets,
      );
      return new Map(
        rows.flatMap(({ place, at }) => {
          const target = targets[place];
          return target === undefined || at === null ? [] : [[target, at] as const];
        }),
      );
    },
    pending: () => countRows(sql, 'notifications', { where: 'WHERE next_attempt_at IS NOT NULL' }),
    failed: () => countRows(sql, 'notifications', { where: `WHERE outcome = 'failed'` }),
    prune: ({ deliveredMs, failedMs }, limit) =>
      sql.run(
        `DELETE FROM ${schema}notifications WHERE seq IN (SELECT seq FROM ${schema}notifications
           WHERE settled_at < $1 AND (outcome = 'delivered' OR settled_at < $2)
           LIMIT $3 ${sql.taken('notifications')})`,
        [deliveredMs, failedMs, limit],
      ),
  };
}
