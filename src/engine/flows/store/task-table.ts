import {
  TASK_FIELDS,
  type TaskCount,
  type TaskRecord,
  type TaskRuntime,
  type TaskStatus,
} from '../../flow-model/task-record.js';
import type { ClockJump } from '../../support/time.js';
import { flowOrTaskRows, type RecordFilter } from './shared-rows.js';
import {
  type Dialect,
  equals,
  type Lookup,
  lookup,
  recordTable,
  type StoreSql,
  selectFrom,
} from './store-sql.js';

const TASKS = recordTable('tasks', TASK_FIELDS, ['taskId']);

/** Selects whole records; conditions follow it. */
export const selectTask = (dialect: Dialect): string => selectFrom(dialect, TASKS);

/** The flow of a task, locked before the task is. */
const FLOW_OF: Lookup<string, { readonly id: string; readonly flowId: string }> = {
  sql: (dialect) =>
    `SELECT tasks.id, flows.id AS "flowId"
     FROM ${dialect.schema}tasks JOIN ${dialect.schema}flows ON flows.seq = tasks.flow_seq
     WHERE ${dialect.isKey('tasks.id')} ORDER BY flows.seq ${dialect.forUpdate('flows')}`,
  keyOf: ({ id }) => id,
};
const BY_ID = lookup(TASKS, 'tasks.id', ({ taskId }: TaskRecord): string => taskId);
const OF_FLOW = lookup(TASKS, 'tasks.flow_seq', ({ flowSeq }: TaskRecord) => flowSeq);
const OWNER_OF: Lookup<string, { readonly id: string; readonly owner: string }> = {
  sql: (dialect) =>
    `SELECT id, owner_key AS owner FROM ${dialect.schema}tasks WHERE ${dialect.isKey('tasks.id')}`,
  keyOf: ({ id }) => id,
};
const COUNTS_OF: Lookup<number, TaskCount & { readonly flowSeq: number }> = {
  sql: (dialect) =>
    `SELECT flow_seq AS "flowSeq", status, runtime, count(*) AS count FROM ${dialect.schema}tasks
     WHERE ${dialect.isKey('tasks.flow_seq')} GROUP BY flow_seq, status, runtime`,
  keyOf: ({ flowSeq }) => flowSeq,
};
const ACTIVE_OF: Lookup<number, { readonly flowSeq: number; readonly count: number }> = {
  sql: (dialect) =>
    `SELECT flow_seq AS "flowSeq", count(*) AS count FROM ${dialect.schema}tasks
     WHERE ${dialect.isKey('tasks.flow_seq')} AND status IN ('queued', 'running')
     GROUP BY flow_seq`,
  keyOf: ({ flowSeq }) => flowSeq,
};

/** Which tasks to list. */
export interface TaskFilter extends RecordFilter<TaskStatus> {
  readonly runtimes?: readonly TaskRuntime[] | undefined;
  readonly flowSeq?: number | undefined;
  /** Only tasks that can run again, as far as their flow decides it: it has neither ended nor a cancel request. */
  readonly ofContinuing?: true;
}

/** Which queued tasks a worker takes. */
export interface QueueFilter {
  readonly runtimes?: readonly TaskRuntime[] | undefined;
  readonly agentId?: string | undefined;
}

/** How tasks are given to workers, which each store does in its own way. */
export interface TaskQueue {
  /** The oldest task that can start now, whose runtime is not paused, and that no other change takes. */
  readonly nextQueued: (nowMs: number, filter: QueueFilter) => Promise<TaskRecord | undefined>;
  /**
   * Tasks whose worker has not reported in time. A lease from before a jump of the clock lasts that
   * much longer: its worker had less time than the clock says. Can be empty for one that has just claimed a task.
   */
  readonly expired: (
    now: { readonly nowMs: number; readonly jump: ClockJump | undefined },
    limit: number,
  ) => Promise<readonly TaskRecord[]>;
}

/** The table of tasks. What a change finds by its id is locked, and its flow before it. */
export function taskRows(sql: StoreSql, queue: TaskQueue) {
  const { schema, query, run, find } = sql;
  const byId = async (id: string) => {
    if (sql.locks) {
      const [flow] = await find(FLOW_OF, id);
      if (flow === undefined) return undefined;
      await sql.takeTurn('flow', flow.flowId);
    }
    return (await find(BY_ID, id))[0];
  };
  const common = flowOrTaskRows<TaskRecord, TaskFilter>(sql, {
    kind: 'task',
    table: TASKS,
    byId,
    idOf: ({ taskId }) => taskId,
    conditionsOf: ({ runtimes, flowSeq, ofContinuing }) => [
      equals(sql, 'runtime', runtimes),
      equals(sql, 'flow_seq', flowSeq),
      [
        (none) =>
          `flow_seq IN (SELECT seq FROM ${schema}flows
             WHERE coalesce(ended_at, cancel_requested_at, 0) = ${none})`,
        ofContinuing && 0,
      ],
    ],
  });
  return {
    /** The session that owns a task. */
    ownerOf: async (id: string) => (await find(OWNER_OF, id))[0]?.owner,
    /** The task of a flow that was created for a run of a runtime. */
    ofRun: async (flowSeq: number, runId: string, runtime: TaskRuntime) => {
      const [task] = await query<TaskRecord>(
        `${selectTask(sql)} WHERE run_id = $1 AND flow_seq = $2 AND runtime = $3
         ${sql.forUpdate('tasks')}`,
        [runId, flowSeq, runtime],
      );
      return task;
    },
    /** Oldest first. */
    ofFlow: (flowSeq: number) => find(OF_FLOW, flowSeq),
    activeOf: async (flowSeq: number) => (await find(ACTIVE_OF, flowSeq))[0]?.count ?? 0,
    countsOf: (flowSeq: number): Promise<readonly TaskCount[]> => find(COUNTS_OF, flowSeq),
    /** When the next retry of a runtime that is not paused is due, or the next lease expires. */
    nextDueAt: async () => {
      const rows = await query<{ at: number | null }>(
        `SELECT min(next_run_at) AS at FROM ${schema}tasks WHERE status = 'queued'
           AND next_run_at IS NOT NULL AND runtime NOT IN (SELECT runtime FROM ${schema}pauses)
         UNION ALL SELECT min(lease_expires_at) FROM ${schema}tasks
           WHERE lease_expires_at IS NOT NULL`,
      );
      const times = rows.flatMap(({ at }) => at ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    /** Queued ones whose retry is due after a time. */
    retriedAfter: (afterMs: number, limit: number) =>
      query<TaskRecord>(
        `${selectTask(sql)} WHERE status = 'queued' AND next_run_at > $1
           LIMIT $2 ${sql.forUpdateSkipLocked('tasks')}`,
        [afterMs, limit],
      ),
    /** Those whose lease was granted or extended after a time. */
    leasedAfter: (afterMs: number, limit: number) =>
      query<TaskRecord>(
        `${selectTask(sql)} WHERE lease_expires_at > $1 AND last_event_at > $1
           LIMIT $2 ${sql.forUpdateSkipLocked('tasks')}`,
        [afterMs, limit],
      ),
    /** Gives ended tasks without one the date after which they can be pruned. @returns how many */
    stampCleanup: (retentionMs: number, limit: number) =>
      run(
        `UPDATE ${schema}tasks SET cleanup_after = ended_at + $1, revision = revision + 1
         WHERE seq IN (SELECT seq FROM ${schema}tasks
           WHERE ended_at IS NOT NULL AND cleanup_after IS NULL LIMIT $2 ${sql.forUpdateSkipLocked('tasks')})`,
        [retentionMs, limit],
      ),
    /** Deletes tasks whose end or date is before a time, except those that block an active flow. @returns how many */
    prune: (column: 'cleanup_after' | 'ended_at', beforeMs: number, limit: number) =>
      run(
        `DELETE FROM ${schema}tasks WHERE seq IN (SELECT seq FROM ${schema}tasks
           WHERE ${column} < $1 AND NOT EXISTS (SELECT 1 FROM ${schema}flows
             WHERE flows.seq = flow_seq AND flows.ended_at IS NULL AND blocked_task_id = tasks.id)
           LIMIT $2 ${sql.forUpdateSkipLocked('tasks')})`,
        [beforeMs, limit],
      ),
    ...common,
    ...queue,
  };
}
