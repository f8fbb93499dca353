import type { NotifyPolicy } from './flow-record.js';
import type { FlowId, TaskId } from './ids.js';

/** What runs a task. */
export const TASK_RUNTIMES = ['subagent', 'acp', 'cli', 'cron'] as const;
/** One of {@link TASK_RUNTIMES}. */
export type TaskRuntime = (typeof TASK_RUNTIMES)[number];

/** The states of a task that goes on. */
export const ACTIVE_TASK_STATUSES = ['queued', 'running'] as const;
/** The states of a task that has ended. */
export const ENDED_TASK_STATUSES = [
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
] as const;
/** Every state of a task, in the order they are counted in. */
export const TASK_STATUSES = [...ACTIVE_TASK_STATUSES, ...ENDED_TASK_STATUSES] as const;

/** A state of a task that has ended. */
export type EndedTaskStatus = (typeof ENDED_TASK_STATUSES)[number];
/** Any state of a task. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** What became of the message about a task's end. */
export type DeliveryStatus =
  | 'pending'
  | 'delivered'
  | 'session_queued'
  | 'failed'
  | 'parent_missing'
  | 'not_applicable';

/** How a task that succeeded left its flow. */
export type TerminalOutcome = 'succeeded' | 'blocked';

/**
 * A task as it is stored. Times are milliseconds since the epoch; `null` is an absent value.
 */
export interface TaskRecord {
  /** Grows with each task made; the order in which they run. */
  readonly seq: number;
  readonly taskId: TaskId;
  /** The `seq` of its flow. */
  readonly flowSeq: number;
  readonly parentFlowId: FlowId;
  /** The session that owns its flow; never leaves through a webhook. */
  readonly ownerKey: string;
  /** 0 when made, one more with every write; part of the ids of notifications. */
  readonly revision: number;
  readonly runtime: TaskRuntime;
  readonly scopeKind: 'session' | 'system';
  readonly task: string;
  readonly status: TaskStatus;
  readonly deliveryStatus: DeliveryStatus;
  readonly notifyPolicy: NotifyPolicy;
  readonly sourceId: string | null;
  readonly childSessionKey: string | null;
  readonly parentTaskId: string | null;
  readonly agentId: string | null;
  readonly runId: string | null;
  readonly label: string | null;
  /** Why it failed, or failed last. */
  readonly error: string | null;
  readonly progressSummary: string | null;
  readonly terminalSummary: string | null;
  readonly terminalOutcome: TerminalOutcome | null;
  /** What the worker handed back, as JSON text. */
  readonly resultJson: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly lastEventAt: number | null;
  /** From when on it may be pruned. */
  readonly cleanupAfter: number | null;
  /** How often it was begun by a worker. */
  readonly attempts: number;
  /** Not begun before this; `null` is at once. */
  readonly nextRunAt: number | null;
  readonly cancelRequestedAt: number | null;
  /** The hash of its worker's token, see lease-token.ts; `null` where no worker of ours holds it. */
  readonly leaseHash: string | null;
  /** What the worker calls itself. */
  readonly leaseOwner: string | null;
  readonly leaseExpiresAt: number | null;
}

/** Whether a task is over. */
export function hasTaskEnded(task: Pick<TaskRecord, 'status'>): boolean {
  return task.status !== 'queued' && task.status !== 'running';
}
