import type { FlowStatus } from '../flow-model/flow-record.js';
import type { TaskRuntime, TaskStatus } from '../flow-model/task-record.js';
import type { StoreSql } from './store/store-sql.js';

/** What a store contains, as far as it can be counted cheaply. */
export interface FlowStatistics {
  /** Flows that have not ended. */
  readonly flows: readonly { readonly status: FlowStatus; readonly count: number }[];
  /** Queued tasks, and since when the first of each queue waits, in epoch milliseconds. */
  readonly queued: readonly {
    readonly runtime: TaskRuntime;
    readonly count: number;
    readonly sinceMs: number;
  }[];
  readonly running: readonly { readonly runtime: TaskRuntime; readonly count: number }[];
  /** Unsettled notifications. */
  readonly notifications: readonly { readonly target: string; readonly count: number }[];
}

/** What ended in a period. */
export interface EndedRecords {
  readonly flows: readonly { readonly status: FlowStatus; readonly count: number }[];
  readonly tasks: readonly {
    readonly runtime: TaskRuntime;
    readonly status: TaskStatus;
    /** How long its last attempt ran; null if it never started. */
    readonly ms: number | null;
  }[];
  readonly notifications: readonly {
    readonly target: string;
    readonly outcome: 'delivered' | 'failed';
    readonly count: number;
  }[];
}

/** From one time up to, but without, another, in epoch milliseconds. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The most ended tasks of one period that are counted. */
const MOST_ENDED = 10_000;

/** What metrics count. */
export function statisticsRows({ schema, greatest, query }: StoreSql) {
  // The index of the queue on a server is of this place in it.
  const isQueued =
    schema === '' ? `status = 'queued'` : `(CASE WHEN status = 'queued' THEN seq END) IS NOT NULL`;
  const within = (column: string): string => `${column} >= $1 AND ${column} < $2`;
  return {
    now: async (): Promise<FlowStatistics> => ({
      flows: await query<Of<FlowStatistics['flows']>>(
        `SELECT status, count(*) AS count FROM ${schema}flows WHERE ended_at IS NULL
         AND status IN ('queued', 'running', 'waiting', 'blocked') GROUP BY status`,
      ),
      queued: await query<Of<FlowStatistics['queued']>>(
        `SELECT q.runtime, q.count, ${greatest}(t.created_at, coalesce(t.last_event_at, 0),
           coalesce(t.next_run_at, 0)) AS "sinceMs"
         FROM (SELECT runtime, count(*) AS count, min(seq) AS seq FROM ${schema}tasks
           WHERE ${isQueued} GROUP BY runtime) AS q
         JOIN ${schema}tasks AS t ON t.seq = q.seq`,
      ),
      running: await query<Of<FlowStatistics['running']>>(
        `SELECT runtime, count(*) AS count FROM ${schema}tasks
         WHERE status = 'running' GROUP BY runtime`,
      ),
      notifications: await query<Of<FlowStatistics['notifications']>>(
        `SELECT target, count(*) AS count FROM ${schema}notifications
         WHERE next_attempt_at IS NOT NULL GROUP BY target`,
      ),
    }),
    ended: async ({ fromMs, toMs }: Period): Promise<EndedRecords> => ({
      flows: await query<Of<EndedRecords['flows']>>(
        `SELECT status, count(*) AS count FROM ${schema}flows
         WHERE ${within('ended_at')} GROUP BY status`,
        [fromMs, toMs],
      ),
      tasks: await query<Of<EndedRecords['tasks']>>(
        `SELECT runtime, status, ended_at - started_at AS ms FROM ${schema}tasks
         WHERE ${within('ended_at')} LIMIT ${MOST_ENDED}`,
        [fromMs, toMs],
      ),
      notifications: await query<Of<EndedRecords['notifications']>>(
        `SELECT target, outcome, count(*) AS count FROM ${schema}notifications
         WHERE ${within('settled_at')} GROUP BY target, outcome`,
        [fromMs, toMs],
      ),
    }),
  };
}

type Of<List extends readonly unknown[]> = List[number] & object;
