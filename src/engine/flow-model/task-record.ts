import {
  emptyFields,
  field,
  fromJsonText,
  type JsonObject,
  nullable,
  printer,
  type RecordOf,
  viewer,
} from './fields.js';
import { NOTIFY_POLICIES } from './flow-record.js';
import type { FlowId, TaskId } from './ids.js';

/** What runs a task. */
export const TASK_RUNTIMES = ['subagent', 'acp', 'cli', 'cron'] as const;
export type TaskRuntime = (typeof TASK_RUNTIMES)[number];

export const ACTIVE_TASK_STATUSES = ['queued', 'running'] as const;
export const FAILED_TASK_STATUSES = ['failed', 'timed_out', 'lost'] as const;
const ENDED_TASK_STATUSES = ['succeeded', 'failed', 'timed_out', 'cancelled', 'lost'] as const;
/** In the order they are counted in. */
export const TASK_STATUSES = [...ACTIVE_TASK_STATUSES, ...ENDED_TASK_STATUSES] as const;
export type EndedTaskStatus = (typeof ENDED_TASK_STATUSES)[number];
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const TASK_FIELDS = {
  seq: field('count', 'Grows with each new task; the order in which they run.', {
    operators: false,
    webhooks: false,
  }),
  taskId: field('text', 'A UUID.', { column: 'id' }),
  ownerKey: field('text', 'The session that owns it.', {
    operators: 'sessionKey',
    webhooks: false,
  }),
  flowSeq: field('count', 'The `seq` of its flow.', { operators: false, webhooks: false }),
  revision: field(
    'count',
    'Starts at 0 and grows by one with every write; part of the ids of notifications.',
    { operators: false, webhooks: false },
  ),
  runtime: field(TASK_RUNTIMES, 'What runs it.'),
  scopeKind: field(['session', 'system'], 'Who it is for.', { operators: false }),
  task: field('text', 'What to do.'),
  status: field(TASK_STATUSES, 'See [flows.md](flows.md#tasks).'),
  deliveryStatus: field(
    ['pending', 'delivered', 'session_queued', 'failed', 'parent_missing', 'not_applicable'],
    'Whether the notification of its end was delivered.',
  ),
  notifyPolicy: field(NOTIFY_POLICIES, 'When notifications are sent.'),
  sourceId: nullable('text', 'Where it came from.'),
  childSessionKey: nullable('text', 'The session it runs in.'),
  parentFlowId: field('text', 'The flow it belongs to.', {
    column: 'flow_id',
    operators: 'flowId',
    webhooks: 'maybe',
  }),
  parentTaskId: nullable('text', 'The task it is part of.'),
  agentId: nullable('text', 'The agent it is for.'),
  runId: nullable('text', 'An id from outside; unique within a flow and a runtime.'),
  label: nullable('text', 'A short name.'),
  attempts: field('count', 'How often a worker started it.', { webhooks: false }),
  nextRunAt: nullable('time', 'When it can be retried.', { webhooks: false }),
  leaseHash: nullable(
    'text',
    "The hash of its worker's token; empty if no worker of svc has claimed it.",
    { operators: false, webhooks: false },
  ),
  leaseOwner: nullable('text', 'The worker that claimed it.', {
    operators: 'worker',
    webhooks: false,
  }),
  leaseExpiresAt: nullable('time', 'When it is taken back unless its worker reports.', {
    webhooks: false,
  }),
  cancelRequestedAt: nullable('time', 'When its cancellation was requested while it ran.', {
    webhooks: false,
  }),
  error: nullable('text', 'Why its last attempt failed.'),
  progressSummary: nullable('text', 'What its worker last reported.'),
  terminalSummary: nullable('text', 'What came of it.'),
  terminalOutcome: nullable(
    ['succeeded', 'blocked'],
    '`blocked`: done as far as possible; somebody else has to continue.',
  ),
  resultJson: nullable('json', 'What its worker returned.', { webhooks: false }),
  createdAt: field('time', 'When it was created.'),
  startedAt: nullable('time', 'When it was first started.'),
  endedAt: nullable('time', 'When it ended.'),
  lastEventAt: nullable('time', 'When it was last heard of.'),
  cleanupAfter: nullable('time', 'When it can be pruned.'),
};

/** A task as it is stored. */
export interface TaskRecord extends RecordOf<typeof TASK_FIELDS> {
  readonly taskId: TaskId;
  readonly parentFlowId: FlowId;
}

/** What `run_task` can add to a task later. */
export const TASK_METADATA = [
  'label',
  'agentId',
  'sourceId',
  'parentTaskId',
  'childSessionKey',
] as const;

export const EMPTY_TASK = emptyFields(TASK_FIELDS);

/** A task as operators and workers see it, without the token of its lease. */
export const taskOutput = printer(TASK_FIELDS);

/** A task as an outside system sees it, without its owner and its lease. */
export const taskView = viewer(TASK_FIELDS);

/** The same with the result of its worker. */
export function taskViewWithResult(task: TaskRecord): JsonObject {
  const { resultJson } = task;
  return resultJson === null
    ? taskView(task)
    : { ...taskView(task), result: fromJsonText(resultJson) };
}

export function hasTaskEnded({ status }: Pick<TaskRecord, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

export const PAUSE_FIELDS = {
  runtime: field(TASK_RUNTIMES, 'The runtime whose tasks wait.'),
  reason: nullable('text', 'Why, for people.'),
  pausedAt: field('time', 'Since when.'),
};

/** A runtime whose tasks no worker can claim. */
export type PauseRecord = RecordOf<typeof PAUSE_FIELDS>;

export const pauseOutput = printer(PAUSE_FIELDS);

/** How many tasks share a state and a runtime. */
export interface TaskCount {
  readonly status: TaskStatus;
  readonly runtime: TaskRuntime;
  readonly count: number;
}

const FAILED: readonly TaskStatus[] = FAILED_TASK_STATUSES;
const ACTIVE: readonly TaskStatus[] = ACTIVE_TASK_STATUSES;

/** Counts the tasks of a flow by state and runtime. */
export function summarizeTasks(counts: readonly TaskCount[]) {
  const sum = (fits: (count: TaskCount) => boolean): number =>
    counts.reduce((total, entry) => total + (fits(entry) ? entry.count : 0), 0);
  const active = sum(({ status }) => ACTIVE.includes(status));
  const total = sum(() => true);
  return {
    total,
    active,
    terminal: total - active,
    failures: sum(({ status }) => FAILED.includes(status)),
    byStatus: byName(TASK_STATUSES, (name) => sum(({ status }) => status === name)),
    byRuntime: byName(TASK_RUNTIMES, (name) => sum(({ runtime }) => runtime === name)),
  };
}

function byName<Name extends string>(
  names: readonly Name[],
  countOf: (name: Name) => number,
): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, countOf(name)])) as Record<Name, number>;
}
