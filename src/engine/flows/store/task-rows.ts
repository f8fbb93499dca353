import type { Connection } from '../../sqlite/database.js';
import {
  TASK_RUNTIMES,
  type TaskRecord,
  type TaskRuntime,
  type TaskStatus,
} from '../task-record.js';
import type { TaskCount } from '../views.js';
import { recordFinder } from './record-finder.js';
import { type Columns, recordTable, selectFrom } from './record-table.js';
import { atLeast, equals, type Where, whereOf } from './where.js';

const COLUMNS: Columns<TaskRecord> = {
  seq: 'seq',
  taskId: 'id',
  flowSeq: 'flow_seq',
  parentFlowId: 'flow_id',
  ownerKey: 'owner_key',
  revision: 'revision',
  runtime: 'runtime',
  scopeKind: 'scope_kind',
  task: 'task',
  status: 'status',
  deliveryStatus: 'delivery_status',
  notifyPolicy: 'notify_policy',
  sourceId: 'source_id',
  childSessionKey: 'child_session_key',
  parentTaskId: 'parent_task_id',
  agentId: 'agent_id',
  runId: 'run_id',
  label: 'label',
  error: 'error',
  progressSummary: 'progress_summary',
  terminalSummary: 'terminal_summary',
  terminalOutcome: 'terminal_outcome',
  resultJson: 'result_json',
  createdAt: 'created_at',
  startedAt: 'started_at',
  endedAt: 'ended_at',
  lastEventAt: 'last_event_at',
  cleanupAfter: 'cleanup_after',
  attempts: 'attempts',
  nextRunAt: 'next_run_at',
  cancelRequestedAt: 'cancel_requested_at',
  leaseHash: 'lease_hash',
  leaseOwner: 'lease_owner',
  leaseExpiresAt: 'lease_expires_at',
};

/** Whole records; conditions follow it. */
export const SELECT_TASK = selectFrom('tasks', COLUMNS);

/** Which tasks are meant; what is left out limits nothing. */
export interface TaskFilter {
  readonly statuses?: readonly TaskStatus[] | undefined;
  readonly ownerKey?: string | undefined;
  readonly runtimes?: readonly TaskRuntime[] | undefined;
  /** Made at or after this moment, epoch milliseconds. */
  readonly sinceMs?: number | undefined;
  readonly limit: number;
}

/** Which queued tasks a worker takes. */
export interface QueueFilter {
  readonly runtimes?: readonly TaskRuntime[] | undefined;
  readonly agentId?: string | undefined;
}

/** The table of tasks. Callers hold a transaction where they write. */
export interface TaskRows {
  insert(task: Omit<TaskRecord, 'seq'>): TaskRecord;
  update(task: TaskRecord): void;
  byId(id: string): TaskRecord | undefined;
  /** Up to two, which is enough to know that a beginning is not enough. */
  byPrefix(prefix: string): readonly TaskRecord[];
  /** The task of a flow that was made for a run. */
  ofRun(flowSeq: number, runId: string): TaskRecord | undefined;
  /** Oldest first. */
  ofFlow(flowSeq: number): readonly TaskRecord[];
  activeOf(flowSeq: number): number;
  countsOf(flowSeq: number): readonly TaskCount[];
  /** Newest first. */
  list(filter: TaskFilter): readonly TaskRecord[];
  count(filter: Omit<TaskFilter, 'limit'>): number;
  /** All, by state. */
  countsByStatus(): readonly (readonly [status: TaskStatus, count: number])[];
  /** The oldest one that may begin now. */
  nextQueued(nowMs: number, filter: QueueFilter): TaskRecord | undefined;
  /** When the rest of one that waits, or the lease of one that runs, is over next. */
  nextDueAt(): number | undefined;
  /** Those whose worker has not reported in time. */
  expired(nowMs: number, limit: number): readonly TaskRecord[];
  /** Says of ended ones that do not say it when they may go. @returns how many */
  stampCleanup(retentionMs: number, limit: number): number;
  /** Deletes those that may go, unless a flow that goes on is blocked by them. @returns how many */
  prune(nowMs: number, limit: number): number;
}

interface QueueLook {
  readonly runtime: TaskRuntime;
  readonly nowMs: number;
  readonly agentId: string | null;
}

/** Prepares the statements of the table of tasks. */
export function taskRows(database: Connection): TaskRows {
  const table = recordTable<TaskRecord>(database, 'tasks', COLUMNS);
  const found = recordFinder<TaskRecord>(database, 'tasks', SELECT_TASK);
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
  const queued = database.prepare<[QueueLook], TaskRecord>(
    `${SELECT_TASK} WHERE status = 'queued' AND runtime = @runtime
     AND (next_run_at IS NULL OR next_run_at <= @nowMs)
     AND (@agentId IS NULL OR agent_id = @agentId)
     ORDER BY seq LIMIT 1`,
  );
  const expired = database.prepare<[number, number], TaskRecord>(
    `${SELECT_TASK} WHERE lease_expires_at < ? ORDER BY lease_expires_at LIMIT ?`,
  );
  return {
    insert: (task) => ({ seq: table.insert(task), ...task }),
    update: table.update,
    byId: found.byId,
    byPrefix: found.byPrefix,
    ofRun: (flowSeq, runId) => ofRun.get(runId, flowSeq),
    ofFlow: (flowSeq) => ofFlow.all(flowSeq),
    activeOf: (flowSeq) => activeOf.get(flowSeq) ?? 0,
    countsOf: (flowSeq) => countsOf.all(flowSeq),
    list: (filter) => found.list(condition(filter), filter.limit),
    count: (filter) => found.count(condition(filter)),
    countsByStatus: found.countsByStatus,
    nextQueued: (nowMs, { runtimes = TASK_RUNTIMES, agentId = null }) =>
      runtimes
        .flatMap((runtime) => queued.get({ runtime, nowMs, agentId }) ?? [])
        .sort((a, b) => a.seq - b.seq)[0],
    nextDueAt: () => {
      const moments = database
        .prepare<[], number | null>(
          `SELECT min(next_run_at) FROM tasks WHERE status = 'queued'
           UNION ALL SELECT min(lease_expires_at) FROM tasks WHERE lease_expires_at IS NOT NULL`,
        )
        .pluck()
        .all()
        .filter((moment) => moment !== null);
      return moments.length === 0 ? undefined : Math.min(...moments);
    },
    expired: (nowMs, limit) => expired.all(nowMs, limit),
    stampCleanup: (retentionMs, limit) =>
      database
        .prepare<[number, number]>(
          `UPDATE tasks SET cleanup_after = ended_at + ?, revision = revision + 1
           WHERE seq IN (SELECT seq FROM tasks
             WHERE status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost')
             AND cleanup_after IS NULL LIMIT ?)`,
        )
        .run(retentionMs, limit).changes,
    prune: (nowMs, limit) =>
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

function condition(filter: Omit<TaskFilter, 'limit'>): Where {
  return whereOf([
    equals('status', filter.statuses),
    equals('owner_key', filter.ownerKey),
    equals('runtime', filter.runtimes),
    atLeast('created_at', filter.sinceMs),
  ]);
}
