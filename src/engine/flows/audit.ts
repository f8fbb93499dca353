import type { FlowRecord } from '../flow-model/flow-record.js';
import type { TaskRecord } from '../flow-model/task-record.js';
import type { FlowListOutput, TaskListOutput } from './output-schemas.js';
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
    ...(['running', 'waiting', 'blocked'] as const).map(
      (status): Check<FlowRecord, FlowFinding['code']> => ({
        code: `stale_${status}`,
        severity: status === 'running' ? 'error' : 'warn',
        beforeMs: staleMs,
        detail: `${status}, but nothing has happened`,
      }),
    ),
    {
      code: 'cancel_stuck',
      severity: 'warn',
      beforeMs: nowMs - CANCEL_GRACE_MS,
      detail: 'cancellation was requested, but it has not ended',
      sinceMs: (flow) => flow.cancelRequestedAt,
    },
    {
      code: 'missing_linked_tasks',
      severity: ({ status }) => (status === 'running' ? 'error' : 'warn'),
      beforeMs: staleMs,
      detail: ({ status }) => `${status} without a task or anything to wait for`,
    },
    {
      code: 'blocked_task_missing',
      severity: 'warn',
      detail: ({ blockedTaskId }) => `blocked by task ${blockedTaskId ?? ''}, which does not exist`,
    },
    {
      code: 'delivery_failed',
      severity: 'warn',
      detail: 'its notification could not be delivered',
    },
    {
      code: 'inconsistent_timestamps',
      severity: 'warn',
      detail: 'its timestamps are out of order',
    },
  ];
  const found = await audit(flows, checks, nowMs, (flow) => flow.updatedAt);
  return found.map(({ record: { status, flowId }, ...finding }) => ({
    ...finding,
    status,
    flowId,
  }));
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
    },
    {
      code: 'stale_running',
      severity: 'error',
      beforeMs: nowMs - STALE_MS,
      detail: 'its worker has stopped reporting',
    },
    {
      code: 'lost',
      severity: ({ cleanupAfter }) =>
        cleanupAfter !== null && cleanupAfter < nowMs ? 'error' : 'warn',
      detail: ({ error }) => error ?? 'it was lost',
    },
    {
      code: 'delivery_failed',
      severity: 'warn',
      detail: 'the notification of its end could not be delivered',
    },
    {
      code: 'missing_cleanup',
      severity: 'warn',
      detail: 'it has no date after which it can be pruned',
    },
    {
      code: 'inconsistent_timestamps',
      severity: 'warn',
      detail: 'its timestamps are out of order',
    },
  ];
  const since = (task: TaskRecord): number => task.lastEventAt ?? task.createdAt;
  const found = await audit(tasks, checks, nowMs, since);
  return found.map(({ record: { status, taskId }, ...finding }) => ({
    ...finding,
    status,
    taskId,
  }));
}

/** A table that can be searched for records with a problem. */
interface ProblemTable<R, Code> {
  withProblem(code: Code, beforeMs: number, limit: number): Promise<readonly R[]>;
}

async function audit<R, Code>(
  rows: ProblemTable<R, Code>,
  checks: readonly Check<R, Code>[],
  nowMs: number,
  usuallySinceMs: (record: R) => number,
) {
  const found = await Promise.all(
    checks.map(async ({ code, severity, beforeMs = nowMs, detail, sinceMs }) =>
      (await rows.withProblem(code, beforeMs, MOST_FOUND)).map((record) => ({
        severity: typeof severity === 'string' ? severity : severity(record),
        code,
        detail: typeof detail === 'string' ? detail : detail(record),
        ageMs: Math.max(0, nowMs - (sinceMs?.(record) ?? usuallySinceMs(record))),
        record,
      })),
    ),
  );
  return found
    .flat()
    .sort((a, b) =>
      a.severity === b.severity ? b.ageMs - a.ageMs : a.severity === 'error' ? -1 : 1,
    );
}
