import type { Connection } from '../sqlite/database.js';
import type { FlowRecord } from './flow-record.js';
import type { FlowListOutput, TaskListOutput } from './output-schemas.js';
import { SELECT_FLOW } from './store/flow-rows.js';
import { SELECT_TASK } from './store/task-rows.js';
import { CANCEL_GRACE_MS } from './sweep.js';
import type { TaskRecord } from './task-record.js';

/** A flow that needs attention. */
export interface FlowFinding extends Omit<FoundIn<FlowListOutput>, 'flowId'> {
  readonly kind: 'flow';
  readonly flow: FlowRecord;
}

/** A task that needs attention. */
export interface TaskFinding extends Omit<FoundIn<TaskListOutput>, 'taskId'> {
  readonly kind: 'task';
  readonly task: TaskRecord;
}

type FoundIn<List extends FlowListOutput | TaskListOutput> = NonNullable<List['findings']>[number];

/** One thing that can be wrong, and the condition that finds the records it is wrong with. */
interface Check<R, Code> {
  readonly code: Code;
  readonly severity: Severity | ((record: R) => Severity);
  readonly where: string;
  readonly values?: readonly number[];
  readonly detail: string | ((record: R) => string);
  readonly sinceMs?: (record: R) => number | null;
}

type Severity = FlowFinding['severity'];

const STALE_MS = 30 * 60_000;
const STALE_QUEUED_MS = 10 * 60_000;
/** The most records that one check reports. */
const MOST_FOUND = 500;

/** Flows that are stuck or inconsistent: errors first, then the oldest. */
export function auditFlows(database: Connection, nowMs: number): readonly FlowFinding[] {
  const staleMs = nowMs - STALE_MS;
  const checks: readonly Check<FlowRecord, FlowFinding['code']>[] = [
    ...(['running', 'waiting', 'blocked'] as const).map(
      (status): Check<FlowRecord, FlowFinding['code']> => ({
        code: `stale_${status}`,
        severity: status === 'running' ? 'error' : 'warn',
        where: `status = '${status}' AND updated_at < ? AND NOT EXISTS (SELECT 1 FROM tasks
          WHERE flow_seq = flows.seq AND tasks.status IN ('queued', 'running'))`,
        values: [staleMs],
        detail: `${status}, but nothing has happened`,
      }),
    ),
    {
      code: 'cancel_stuck',
      severity: 'warn',
      where: 'cancel_requested_at < ? AND ended_at IS NULL',
      values: [nowMs - CANCEL_GRACE_MS],
      detail: 'cancellation was requested, but it has not ended',
      sinceMs: (flow) => flow.cancelRequestedAt,
    },
    {
      code: 'missing_linked_tasks',
      severity: ({ status }) => (status === 'running' ? 'error' : 'warn'),
      where: `status IN ('running', 'waiting', 'blocked') AND updated_at < ? AND wait_json IS NULL
        AND blocked_task_id IS NULL AND blocked_summary IS NULL
        AND NOT EXISTS (SELECT 1 FROM tasks WHERE flow_seq = flows.seq)`,
      values: [staleMs],
      detail: ({ status }) => `${status} without a task or anything to wait for`,
    },
    {
      code: 'blocked_task_missing',
      severity: 'warn',
      where: `status IN ('queued', 'running', 'waiting', 'blocked') AND blocked_task_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM tasks
          WHERE flow_seq = flows.seq AND tasks.id = flows.blocked_task_id)`,
      detail: ({ blockedTaskId }) => `blocked by task ${blockedTaskId ?? ''}, which does not exist`,
    },
    {
      code: 'delivery_failed',
      severity: 'warn',
      where: `id IN (SELECT flow_id FROM notifications WHERE outcome = 'failed' AND task_id IS NULL)`,
      detail: 'its notification could not be delivered',
    },
    {
      code: 'inconsistent_timestamps',
      severity: 'warn',
      where: 'updated_at < created_at OR ended_at < created_at OR cancel_requested_at < created_at',
      detail: 'its timestamps are out of order',
    },
  ];
  return audit(database, SELECT_FLOW, checks, nowMs, (flow) => flow.updatedAt).map(
    ({ record: flow, ...finding }) => ({ kind: 'flow', ...finding, status: flow.status, flow }),
  );
}

/** Tasks that are stuck, lost or inconsistent: errors first, then the oldest. */
export function auditTasks(database: Connection, nowMs: number): readonly TaskFinding[] {
  const stale = (status: 'queued' | 'running'): string =>
    `status = '${status}'
     AND max(created_at, coalesce(last_event_at, 0), coalesce(next_run_at, 0)) < ?`;
  const checks: readonly Check<TaskRecord, TaskFinding['code']>[] = [
    {
      code: 'stale_queued',
      severity: 'warn',
      where: stale('queued'),
      values: [nowMs - STALE_QUEUED_MS],
      detail: 'no worker has claimed it',
    },
    {
      code: 'stale_running',
      severity: 'error',
      where: stale('running'),
      values: [nowMs - STALE_MS],
      detail: 'its worker has stopped reporting',
    },
    {
      code: 'lost',
      severity: ({ cleanupAfter }) =>
        cleanupAfter !== null && cleanupAfter < nowMs ? 'error' : 'warn',
      where: `status = 'lost'`,
      detail: ({ error }) => error ?? 'it was lost',
    },
    {
      code: 'delivery_failed',
      severity: 'warn',
      where: `delivery_status = 'failed' AND notify_policy <> 'silent'`,
      detail: 'the notification of its end could not be delivered',
    },
    {
      code: 'missing_cleanup',
      severity: 'warn',
      where: `status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost')
        AND cleanup_after IS NULL`,
      detail: 'it has no date after which it can be pruned',
    },
    {
      code: 'inconsistent_timestamps',
      severity: 'warn',
      where: 'started_at < created_at OR ended_at < started_at',
      detail: 'its timestamps are out of order',
    },
  ];
  const since = (task: TaskRecord): number => task.lastEventAt ?? task.createdAt;
  return audit(database, SELECT_TASK, checks, nowMs, since).map(({ record: task, ...finding }) => ({
    kind: 'task',
    ...finding,
    status: task.status,
    task,
  }));
}

/** Statements are not kept: an audit runs once in a while. */
function audit<R, Code>(
  database: Connection,
  select: string,
  checks: readonly Check<R, Code>[],
  nowMs: number,
  usuallySinceMs: (record: R) => number,
) {
  return checks
    .flatMap(({ code, severity, where, values = [], detail, sinceMs }) =>
      database
        .prepare<unknown[], R>(`${select} WHERE ${where} LIMIT ${MOST_FOUND}`)
        .all(...values)
        .map((record) => ({
          severity: typeof severity === 'string' ? severity : severity(record),
          code,
          detail: typeof detail === 'string' ? detail : detail(record),
          ageMs: Math.max(0, nowMs - (sinceMs?.(record) ?? usuallySinceMs(record))),
          record,
        })),
    )
    .sort((a, b) =>
      a.severity === b.severity ? b.ageMs - a.ageMs : a.severity === 'error' ? -1 : 1,
    );
}
