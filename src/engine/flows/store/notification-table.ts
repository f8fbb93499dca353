import {
  NOTIFICATION_FIELDS,
  type NotificationOutcome,
  type NotificationRecord,
} from '../../flow-model/notification-record.js';
import { countRows, newestRows, recordRows } from './shared-rows.js';
import {
  atLeast,
  equals,
  lookup,
  recordTable,
  type StoreSql,
  selectFrom,
  whereOf,
} from './store-sql.js';

const NOTIFICATIONS = recordTable('notifications', NOTIFICATION_FIELDS, [
  'notificationId',
  'target',
]);

const OF_EVENT = lookup(
  NOTIFICATIONS,
  'notifications.id',
  ({ notificationId }: NotificationRecord) => notificationId,
);

/** Which notifications to take, and for how long. */
export interface TakeDueOptions {
  readonly target: string;
  readonly limit: number;
  readonly holdMs: number;
  /** Flows whose notifications are left alone, so that others come first. */
  readonly exceptFlows?: readonly string[] | undefined;
}

/** Which notifications to list; what is left out limits nothing. */
export interface NotificationFilters {
  readonly outcome?: NotificationOutcome | undefined;
  readonly target?: string | undefined;
  readonly flowId?: string | undefined;
  /** Of events at or after this time, epoch milliseconds. */
  readonly sinceMs?: number | undefined;
  readonly limit: number;
}

/** There is an index of these, which are few. */
const IN_FIRST_DELIVERY = 'attempts > 0 AND last_error IS NULL';

/** The table of notifications: one row for each event and target. What a change finds by its id is locked. */
export function notificationRows(sql: StoreSql) {
  const { schema, isOneOf } = sql;
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
    /** All of one event. */
    ofEvent: async (notificationId: string) => {
      await sql.takeTurn('notification', notificationId);
      return sql.find(OF_EVENT, notificationId);
    },
    bySeq: async (seq: number) => (await select('WHERE seq = $1', [seq]))[0],
    /** Newest first. */
    list: (filter: NotificationFilters) =>
      newestRows<NotificationRecord>(sql, NOTIFICATIONS, whereIn(filter), filter.limit),
    /** How many fit, without the limit. */
    count: (filter: Omit<NotificationFilters, 'limit'>) =>
      countRows(sql, 'notifications', whereIn(filter)),
    /** Those that were given up, after another one, oldest first. */
    failedAfter: (
      seq: number,
      filter: Omit<NotificationFilters, 'limit' | 'outcome'>,
      limit: number,
    ) => {
      const { where, values } = whereIn({ ...filter, outcome: 'failed' });
      const [after, most] = [values.length + 1, values.length + 2];
      return select(`${where} AND seq > $${after} ORDER BY seq LIMIT $${most}`, [
        ...values,
        seq,
        limit,
      ]);
    },
    /** Unsettled ones that were due before a time, for none of these targets. */
    unclaimed: (targets: readonly string[], beforeMs: number, limit: number) =>
      select(
        `WHERE next_attempt_at < $1 AND NOT (${isOneOf('target', '$2')})
         LIMIT $3 ${sql.forUpdateSkipLocked('notifications')}`,
        [beforeMs, targets, limit],
      ),
    /** Lets those that are due after a time be due at another. @returns how many */
    bringForward: (afterMs: number, dueMs: number, limit: number) =>
      sql.run(
        `UPDATE ${schema}notifications SET next_attempt_at = $2
         WHERE seq IN (SELECT seq FROM ${schema}notifications WHERE next_attempt_at > $1
           LIMIT $3 ${sql.forUpdateSkipLocked('notifications')})`,
        [afterMs, dueMs, limit],
      ),
    /**
     * Those whose first delivery was interrupted, for example because its process was killed, then the others, oldest
     * first. Leaves out flows with a first delivery in progress, which has to arrive before the others. Within a
     * change, others who ask for the same target wait until it ends.
     */
    due: async (
      nowMs: number,
      { target, limit, exceptFlows = [] }: Omit<TakeDueOptions, 'holdMs'>,
    ) => {
      await sql.takeTarget(target);
      // In the order of the index: for any other, PostgreSQL would read the whole table to find the first few.
      const dueIf = (condition: string, most: number) =>
        select(
          `WHERE target = $1 AND next_attempt_at <= $2 AND ${condition} AND NOT (${isOneOf('flow_id', '$3')})
             AND flow_id NOT IN (SELECT flow_id FROM ${schema}notifications
               WHERE target = $1 AND next_attempt_at > $2 AND ${IN_FIRST_DELIVERY})
           ORDER BY next_attempt_at, seq LIMIT $4 ${sql.forUpdateSkipLocked('notifications')}`,
          [target, nowMs, exceptFlows, most],
        );
      const interrupted = await dueIf(IN_FIRST_DELIVERY, limit);
      const others = await dueIf(`NOT (${IN_FIRST_DELIVERY})`, limit - interrupted.length);
      return [...interrupted, ...others];
    },
    /** By target, in epoch milliseconds; targets with nothing left are missing. */
    nextDueAt: async (targets: readonly string[]): Promise<ReadonlyMap<string, number>> => {
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
    /** How many were given up. */
    countFailed: () =>
      countRows(sql, 'notifications', { where: `WHERE outcome = 'failed'`, values: [] }),
    /** Deletes those delivered, or given up, before a time. @returns how many */
    prune: (
      { deliveredMs, failedMs }: Readonly<Record<'deliveredMs' | 'failedMs', number>>,
      limit: number,
    ) =>
      sql.run(
        `DELETE FROM ${schema}notifications WHERE seq IN (SELECT seq FROM ${schema}notifications
           WHERE settled_at < $1 AND (outcome = 'delivered' OR settled_at < $2)
           LIMIT $3 ${sql.forUpdateSkipLocked('notifications')})`,
        [deliveredMs, failedMs, limit],
      ),
    ...recordRows<NotificationRecord>(sql, NOTIFICATIONS),
  };
}
