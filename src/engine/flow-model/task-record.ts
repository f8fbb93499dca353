import {
  emptyFields,
  type Fields,
  fromJsonText,
  type JsonObject,
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
  seq: {
    kind: 'count',
    meaning: 'Grows with each new task; the order in which they run.',
    operators: false,
    webhooks: false,
  },
  taskId: { kind: 'text', meaning: 'A UUID.', column: 'id' },
  ownerKey: {
    kind: 'text',
    meaning: 'The session that owns it.',
    operators: 'sessionKey',
    webhooks: false,
  },
  flowSeq: { kind: 'count', meaning: 'The `seq` of its flow.', operators: false, webhooks: false },
  revision: {
    kind: 'count',
    meaning: 'Starts at 0 and grows by one with every write; part of the ids of notifications.',
    operators: false,
    webhooks: false,
  },
  runtime: { kind: TASK_RUNTIMES, meaning: 'What runs it.' },
  scopeKind: { kind: ['session', 'system'], meaning: 'Who it is for.', operators: false },
  task: { kind: 'text', meaning: 'What to do.' },
  status: { kind: TASK_STATUSES, meaning: 'See [flows.md](flows.md#tasks).' },
  deliveryStatus: {
    kind: ['pending', 'delivered', 'session_queued', 'failed', 'parent_missing', 'not_applicable'],
    meaning: 'Whether the notification of its end was delivered.',
  },
  notifyPolicy: { kind: NOTIFY_POLICIES, meaning: 'When notifications are sent.' },
  sourceId: { kind: 'text', meaning: 'Where it came from.', nullable: true },
  childSessionKey: { kind: 'text', meaning: 'The session it runs in.', nullable: true },
  parentFlowId: {
    kind: 'text',
    meaning: 'The flow it belongs to.',
    column: 'flow_id',
    operators: 'flowId',
    webhooks: 'maybe',
  },
  parentTaskId: { kind: 'text', meaning: 'The task it is part of.', nullable: true },
  agentId: { kind: 'text', meaning: 'The agent it is for.', nullable: true },
  runId: {
    kind: 'text',
    meaning: 'An id from outside; unique within a flow and a runtime.',
    nullable: true,
  },
  label: { kind: 'text', meaning: 'A short name.', nullable: true },
  attempts: { kind: 'count', meaning: 'How often a worker started it.', webhooks: false },
  nextRunAt: {
    kind: 'time',
    meaning: 'When it can be retried.',
    nullable: true,
    webhooks: false,
  },
  leaseHash: {
    kind: 'text',
    meaning: "The hash of its worker's token; empty if no worker of svc has claimed it.",
    nullable: true,
    operators: false,
    webhooks: false,
  },
  leaseOwner: {
    kind: 'text',
    meaning: 'The worker that claimed it.',
    nullable: true,
    operators: 'worker',
    webhooks: false,
  },
  leaseExpiresAt: {
    kind: 'time',
    meaning: 'When it is taken back unless its worker reports.',
    nullable: true,
    webhooks: false,
  },
  cancelRequestedAt: {
    kind: 'time',
    meaning: 'When its cancellation was requested while it ran.',
    nullable: true,
    webhooks: false,
  },
  error: { kind: 'text', meaning: 'Why its last attempt failed.', nullable: true },
  progressSummary: { kind: 'text', meaning: 'What its worker last reported.', nullable: true },
  terminalSummary: { kind: 'text', meaning: 'What came of it.', nullable: true },
  terminalOutcome: {
    kind: ['succeeded', 'blocked'],
    meaning: '`blocked`: done as far as possible; somebody else has to continue.',
    nullable: true,
  },
  resultJson: {
    kind: 'json',
    meaning: 'What its worker returned.',
    nullable: true,
    webhooks: false,
  },
  createdAt: { kind: 'time', meaning: 'When it was created.' },
  startedAt: { kind: 'time', meaning: 'When it was first started.', nullable: true },
  endedAt: { kind: 'time', meaning: 'When it ended.', nullable: true },
  lastEventAt: {
    kind: 'time',
    meaning: 'When it was last heard of.',
    nullable: true,
  },
  cleanupAfter: { kind: 'time', meaning: 'When it can be pruned.', nullable: true },
} as const satisfies Fields;

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
  runtime: { kind: TASK_RUNTIMES, meaning: 'The runtime whose tasks wait.' },
  reason: { kind: 'text', meaning: 'Why, for people.', nullable: true },
  pausedAt: { kind: 'time', meaning: 'Since when.' },
} as const satisfies Fields;

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
