import type { FlowRecord } from '../flow-model/flow-record.js';
import type { TaskRecord } from '../flow-model/task-record.js';
import { formatCount, formatDuration } from '../support/format.js';
import type { FlowListOutput, TaskListOutput } from './output-schemas.js';
import { activeTaskIn } from './store/flow-table.js';
import type { ProblemSql } from './store/shared-rows.js';
import type { Dialect } from './store/store-sql.js';
import type { Tables } from './store/tables.js';
import { CANCEL_GRACE_MS } from './sweep.js';

/** A flow that needs attention. */
type FlowFinding = NonNullable<FlowListOutput['findings']>[number];
/** A task that needs attention. */
type TaskFinding = NonNullable<TaskListOutput['findings']>[number];

/** How records with one kind of problem are reported. */
interface Check<R, Code> {
  readonly code: Code;
  readonly severity: Severity | ((record: R) => Severity);
  /** What happened before is too long ago. */
  readonly beforeMs?: number;
  readonly detail: string | ((record: R) => string);
  readonly problem: ProblemSql;
  readonly sinceMs?: (record: R) => number | null;
}

type Severity = FlowFinding['severity'];

const STALE_MS = 30 * 60_000;
const STALE_QUEUED_MS = 10 * 60_000;
/** The most records that one check reports. */
const MOST_FOUND = 500;

/** Flows that are stuck or inconsistent: errors first, then the oldest. */
export async function auditFlows(
  { flows }: Tables,
  nowMs: number,
): Promise<readonly FlowFinding[]> {
  const staleMs = nowMs - STALE_MS;
  const checks: readonly Check<FlowRecord, FlowFinding['code']>[] = [
    ...(['queued', 'running', 'waiting', 'blocked'] as const).map(
      (status): Check<FlowRecord, FlowFinding['code']> => ({
        code: `stale_${status}`,
        severity: status === 'running' ? 'error' : 'warn',
        beforeMs: staleMs,
        detail: `${status}, but nothing has happened`,
        problem: ({ schema }, before) =>
          `status = '${status}' AND updated_at < ${before} AND NOT ${activeTaskIn(schema)}`,
      }),
    ),
    {
      code: 'cancel_stuck',
      severity: 'warn',
      beforeMs: nowMs - CANCEL_GRACE_MS,
      detail: 'cancellation was requested, but it has not ended',
      sinceMs: (flow) => flow.cancelRequestedAt,
      problem: (_, before) => `cancel_requested_at < ${before} AND ended_at IS NULL`,
    },
    {
      code: 'missing_linked_tasks',
      severity: ({ status }) => (status === 'running' ? 'error' : 'warn'),
      beforeMs: staleMs,
      detail: ({ status }) => `${status} without a task or anything to wait for`,
      problem: ({ schema }, before) =>
        `status IN ('running', 'waiting', 'blocked') AND updated_at < ${before}
         AND wait_json IS NULL AND blocked_task_id IS NULL AND blocked_summary IS NULL
         AND NOT EXISTS (SELECT 1 FROM ${schema}tasks WHERE flow_seq = flows.seq)`,
    },
    {
      code: 'blocked_task_missing',
      severity: 'warn',
      detail: ({ blockedTaskId }) => `blocked by task ${blockedTaskId ?? ''}, which does not exist`,
      problem: ({ schema }) =>
        `status IN ('queued', 'running', 'waiting', 'blocked')
         AND blocked_task_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${schema}tasks
           WHERE flow_seq = flows.seq AND tasks.id = flows.blocked_task_id)`,
    },
    {
      code: 'delivery_failed',
      severity: 'warn',
      detail: 'its notification could not be delivered',
      problem: ({ schema }) =>
        `id IN (SELECT flow_id FROM ${schema}notifications
           WHERE outcome = 'failed' AND task_id IS NULL)`,
    },
    {
      code: 'inconsistent_timestamps',
      severity: 'warn',
      detail: 'its timestamps are out of order',
      problem: () =>
        '(updated_at < created_at OR ended_at < created_at OR cancel_requested_at < created_at)',
    },
  ];
  return audit(flows, checks, nowMs, ({ updatedAt, status, flowId }) => {
    return { sinceMs: updatedAt, named: { status, flowId } };
  });
}

/** Tasks that are stuck, lost or inconsistent: errors first, then the oldest. */
export async function auditTasks(
  { tasks }: Tables,
  nowMs: number,
): Promise<readonly TaskFinding[]> {
  const checks: readonly Check<TaskRecord, TaskFinding['code']>[] = [
    {
      code: 'stale_queued',
      severity: 'warn',
      beforeMs: nowMs - STALE_QUEUED_MS,
      detail: 'no worker has claimed it',
      problem: (dialect, before) =>
        `${staleTask('queued', dialect, before)}
         AND runtime NOT IN (SELECT runtime FROM ${dialect.schema}pauses)`,
    },
    {
      code: 'stale_running',
      severity: 'error',
      beforeMs: nowMs - STALE_MS,
      detail: 'its worker has stopped reporting',
      problem: (dialect, before) => staleTask('running', dialect, before),
    },
    {
      code: 'lost',
      severity: ({ cleanupAfter }) =>
        cleanupAfter !== null && cleanupAfter < nowMs ? 'error' : 'warn',
      detail: ({ error }) => error ?? 'it was lost',
      problem: () => `status = 'lost'`,
    },
    {
      code: 'delivery_failed',
      severity: 'warn',
      detail: 'the notification of its end could not be delivered',
      problem: () => `delivery_status = 'failed' AND notify_policy <> 'silent'`,
    },
    {
      code: 'missing_cleanup',
      severity: 'warn',
      detail: 'it has no date after which it can be pruned',
      problem: () =>
        `status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost')
         AND cleanup_after IS NULL`,
    },
    {
      code: 'inconsistent_timestamps',
      severity: 'warn',
      detail: 'its timestamps are out of order',
      problem: () => '(started_at < created_at OR ended_at < started_at)',
    },
  ];
  return audit(tasks, checks, nowMs, ({ lastEventAt, createdAt, status, taskId }) => {
    return { sinceMs: lastEventAt ?? createdAt, named: { status, taskId } };
  });
}

/** Queued tasks of a runtime that no worker takes. */
export type UnclaimedTasks = Awaited<ReturnType<typeof unclaimedTasks>>[number];

/** Queues that have waited for long although they are not paused, while no task of their runtime runs or has run. */
export async function unclaimedTasks({ statistics, pauses }: Tables, nowMs: number) {
  const fromMs = nowMs - STALE_QUEUED_MS;
  const { queued, running } = await statistics.now();
  const waiting = queued.filter(({ sinceMs }) => sinceMs < fromMs);
  if (waiting.length === 0) return [];
  const { tasks } = await statistics.ended({ fromMs, toMs: nowMs + 1 });
  // A task that was cancelled in the queue shows no worker.
  const ran = tasks.filter(({ ms }) => ms !== null);
  const others = [...running, ...ran, ...(await pauses.all())].map(({ runtime }) => runtime);
  return waiting.filter(({ runtime }) => !others.includes(runtime));
}

export function unclaimedProblem({ runtime, count, sinceMs }: UnclaimedTasks, nowMs: number) {
  const forTime = formatDuration(nowMs - sinceMs);
  return {
    message: `no worker takes ${runtime} tasks: ${formatCount(count)} queued, the first for ${forTime}`,
    hint: `run "svc serve" with a program in flows.runtimes.${runtime}, or a worker of your own with "svc task claim"`,
  };
}

function staleTask(status: 'queued' | 'running', { greatest }: Dialect, before: string): string {
  return `status = '${status}'
    AND ${greatest}(created_at, coalesce(last_event_at, 0), coalesce(next_run_at, 0)) < ${before}`;
}

/** A table that can be searched for records with a problem. */
interface ProblemTable<R> {
  withProblem(problem: ProblemSql, beforeMs: number, limit: number): Promise<readonly R[]>;
}

async function audit<R, Code, Named>(
  rows: ProblemTable<R>,
  checks: readonly Check<R, Code>[],
  nowMs: number,
  describe: (record: R) => { readonly sinceMs: number; readonly named: Named },
) {
  const found = await Promise.all(
    checks.map(async ({ code, severity, beforeMs = nowMs, detail, sinceMs, problem }) =>
      (await rows.withProblem(problem, beforeMs, MOST_FOUND)).map((record) => {
        const { sinceMs: changedMs, named } = describe(record);
        return {
          severity: typeof severity === 'string' ? severity : severity(record),
          code,
          detail: typeof detail === 'string' ? detail : detail(record),
          ageMs: Math.max(0, nowMs - (sinceMs?.(record) ?? changedMs)),
          ...named,
        };
      }),
    ),
  );
  return found
    .flat()
    .sort((a, b) =>
      a.severity === b.severity ? b.ageMs - a.ageMs : a.severity === 'error' ? -1 : 1,
    );
}
