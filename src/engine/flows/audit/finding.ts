import type { FlowRecord, FlowStatus } from '../flow-record.js';
import type { TaskRecord, TaskStatus } from '../task-record.js';

/** What can be wrong with a task. */
export type TaskFindingCode =
  | 'delivery_failed'
  | 'inconsistent_timestamps'
  | 'lost'
  | 'missing_cleanup'
  | 'stale_queued'
  | 'stale_running';

/** What can be wrong with a flow. */
export type FlowFindingCode =
  | 'blocked_task_missing'
  | 'cancel_stuck'
  | 'delivery_failed'
  | 'inconsistent_timestamps'
  | 'missing_linked_tasks'
  | 'stale_blocked'
  | 'stale_running'
  | 'stale_waiting';

interface Finding {
  readonly severity: 'error' | 'warn';
  /** For people, in a line. */
  readonly detail: string;
  /** How long it has been so, in milliseconds. */
  readonly ageMs: number;
}

/** Something about a flow that needs somebody's attention. */
export interface FlowFinding extends Finding {
  readonly kind: 'flow';
  readonly code: FlowFindingCode;
  readonly status: FlowStatus;
  readonly flow: FlowRecord;
}

/** Something about a task that needs somebody's attention. */
export interface TaskFinding extends Finding {
  readonly kind: 'task';
  readonly code: TaskFindingCode;
  readonly status: TaskStatus;
  readonly task: TaskRecord;
}
