import type { Connection } from '../../sqlite/database.js';
import type { ClockJump } from '../../support/time.js';
import {
  TASK_FIELDS,
  TASK_RUNTIMES,
  type TaskRecord,
  type TaskRuntime,
  type TaskStatus,
} from '../task-record.js';
import type { TaskCount } from '../task-summary.js';
import {
  equals,
  type RecordFilter,
  recordFinder,
  recordTable,
  selectFrom,
} from './record-table.js';

/** Selects whole records; conditions follow it. */
export const SELECT_TASK = selectFrom('tasks', TASK_FIELDS);

/** Which tasks to list. */
export interface TaskFilter extends RecordFilter<TaskStatus> {
  readonly runtimes?: readonly TaskRuntime[] | undefined;
}

/** Which queued tasks a worker takes. */
export interface QueueFilter {
  readonly runtimes?: readonly TaskRuntime[] | undefined;
  readonly agentId?: string | undefined;
}

/** The table of tasks. Callers hold a transaction where they write. */
export function taskRows(database: Connection) {
  const table = recordTable<TaskRecord>(database, 'tasks', TASK_FIELDS);
  const finder = recordFinder<TaskRecord, Omit<TaskFilter, 'limit'>>(
    database,
    'tasks',
    SELECT_TASK,
    ({ runtimes }) => [equals('runtime', runtimes)],
  );
  const ofRun = database.prepare<[string, number], TaskRecord>(
    `${SELECT_TASK} WHERE run_id = ? AND flow_seq = ?`,
  );
  const ofFlow = database.prepare<[number], TaskRecord>(
    `${SELECT_TASK} WHERE flow_seq = ? ORDER BY seq`,
  );
  const activeOf = database
    .prepare<[number], number>(
      `SELECT count(*) FROM tasks WHERE flow_seq = ? AND status IN ('queued', 'running')`,
    )
    .pluck();
  const countsOf = database.prepare<[number], TaskCount>(
    `SELECT status, runtime, count(*) AS count FROM tasks
     WHERE flow_seq = ? GROUP BY status, runtime`,
  );
  const queued = database.prepare<
    [{ runtime: TaskRuntime; nowMs: number; agentId: string | null }],
    TaskRecord
  >(
    `${SELECT_TASK} WHERE status = 'queued' AND runtime = @runtime
     AND (next_run_at IS NULL OR next_run_at <= @nowMs)
     AND (@agentId IS NULL OR agent_id = @agentId)
     ORDER BY seq LIMIT 1`,
  );
  const expired = database.prepare<
    [{ nowMs: number; jumpedAtMs: number; jumpedByMs: number; limit: number }],
    TaskRecord
  >(
    `${SELECT_TASK} WHERE lease_expires_at < @nowMs
     AND (last_event_at >= @jumpedAtMs OR lease_expires_at < @nowMs - @jumpedByMs)
     ORDER BY lease_expires_at LIMIT @limit`,
  );
  return {
    ...table,
    ...finder,
    /** The task of a flow that was created for a run. */
    ofRun: (flowSeq: number, runId: string) => ofRun.get(runId, flowSeq),
    /** Oldest first. */
    ofFlow: (flowSeq: number) => ofFlow.all(flowSeq),
    activeOf: (flowSeq: number) => activeOf.get(flowSeq) ?? 0,
    countsOf: (flowSeq: number) => countsOf.all(flowSeq),
    /** The oldest task that can start now. */
    nextQueued: (nowMs: number, { runtimes = TASK_RUNTIMES, agentId }: QueueFilter) =>
      runtimes
        .flatMap((runtime) => queued.get({ runtime, nowMs, agentId: agentId ?? null }) ?? [])
        .sort((a, b) => a.seq - b.seq)[0],
    /** When the next retry is due or the next lease expires. */
    nextDueAt: () => {
      const times = database
        .prepare<[], number | null>(
          `SELECT min(next_run_at) FROM tasks WHERE status = 'queued'
           UNION ALL SELECT min(lease_expires_at) FROM tasks WHERE lease_expires_at IS NOT NULL`,
        )
        .pluck()
        .all()
        .filter((time) => time !== null);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    /**
     * Tasks whose worker has not reported in time. A lease from before a jump of the clock lasts that
     * much longer: its worker had less time than the clock says.
     */
    expired: (now: { nowMs: number; jump: ClockJump | undefined }, limit: number) => {
      const { atMs = 0, byMs = 0 } = now.jump ?? {};
      return expired.all({ nowMs: now.nowMs, jumpedAtMs: atMs, jumpedByMs: byMs, limit });
    },
    /** Gives ended tasks without one the date after which they can be pruned. @returns how many */
    stampCleanup: (retentionMs: number, limit: number) =>
      database
        .prepare<[number, number]>(
          `UPDATE tasks SET cleanup_after = ended_at + ?, revision = revision + 1
           WHERE seq IN (SELECT seq FROM tasks
             WHERE status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost')
             AND cleanup_after IS NULL LIMIT ?)`,
        )
        .run(retentionMs, limit).changes,
    /** Deletes tasks past that date, except those that block an active flow. @returns how many */
    prune: (nowMs: number, limit: number) =>
      database
        .prepare<[number, number]>(
          `DELETE FROM tasks WHERE seq IN (SELECT seq FROM tasks
             WHERE cleanup_after < ? AND NOT EXISTS (SELECT 1 FROM flows
               WHERE flows.seq = flow_seq AND ended_at IS NULL AND blocked_task_id = tasks.id)
             LIMIT ?)`,
        )
        .run(nowMs, limit).changes,
  };
}
