import type { FlowStatus } from '../flow-model/flow-record.js';
import type { NotificationOutcome } from '../flow-model/notification-record.js';
import type { TaskRuntime, TaskStatus } from '../flow-model/task-record.js';
import type { StoreSql } from './store/store-sql.js';

/** From one time up to, but without, another, in epoch milliseconds. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The most ended tasks of one period that are counted. */
const MOST_ENDED = 10_000;

/** What metrics count, as far as it can be counted cheaply. */
export function statisticsRows({ schema, greatest, query }: StoreSql) {
  // The index of the queue on a server is of this place in it.
  const isQueued =
    schema === '' ? `status = 'queued'` : `(CASE WHEN status = 'queued' THEN seq END) IS NOT NULL`;
  const within = (column: string): string => `${column} >= $1 AND ${column} < $2`;
  return {
    now: async () => ({
      /** Flows that have not ended. */
      flows: await query<{ status: FlowStatus; count: number }>(
        `SELECT status, count(*) AS count FROM ${schema}flows WHERE ended_at IS NULL
         AND status IN ('queued', 'running', 'waiting', 'blocked') GROUP BY status`,
      ),
      /** Queued tasks, and since when the first of each queue waits, in epoch milliseconds. */
      queued: await query<{ runtime: TaskRuntime; count: number; sinceMs: number }>(
        `SELECT q.runtime, q.count, ${greatest}(t.created_at, coalesce(t.last_event_at, 0),
           coalesce(t.next_run_at, 0)) AS "sinceMs"
         FROM (SELECT runtime, count(*) AS count, min(seq) AS seq FROM ${schema}tasks
           WHERE ${isQueued} GROUP BY runtime) AS q
         JOIN ${schema}tasks AS t ON t.seq = q.seq`,
      ),
      running: await query<{ runtime: TaskRuntime; count: number }>(
        `SELECT runtime, count(*) AS count FROM ${schema}tasks
         WHERE status = 'running' GROUP BY runtime`,
      ),
      /** Unsettled notifications. */
      notifications: await query<{ target: string; count: number }>(
        `SELECT target, count(*) AS count FROM ${schema}notifications
         WHERE next_attempt_at IS NOT NULL GROUP BY target`,
      ),
    }),
    /** What ended in a period. */
    ended: async ({ fromMs, toMs }: Period) => ({
      flows: await query<{ status: FlowStatus; count: number }>(
        `SELECT status, count(*) AS count FROM ${schema}flows
         WHERE ${within('ended_at')} GROUP BY status`,
        [fromMs, toMs],
      ),
      /** How long each took from its first start, with the waits between attempts; null if it never started. */
      tasks: await query<{ runtime: TaskRuntime; status: TaskStatus; ms: number | null }>(
        `SELECT runtime, status, ended_at - started_at AS ms FROM ${schema}tasks
         WHERE ${within('ended_at')} LIMIT ${MOST_ENDED}`,
        [fromMs, toMs],
      ),
      notifications: await query<{ target: string; outcome: NotificationOutcome; count: number }>(
        `SELECT target, outcome, count(*) AS count FROM ${schema}notifications
         WHERE ${within('settled_at')} GROUP BY target, outcome`,
        [fromMs, toMs],
      ),
    }),
  };
}
