import { moveFlow } from '../actions/move-flow.js';
import { hasFlowEnded } from '../flow-record.js';
import { notifyOfTask } from '../notify/notify.js';
import type { EndedTaskStatus, TaskRecord, TerminalOutcome } from '../task-record.js';
import type { Work } from '../work.js';

/** How a task ends. */
export interface TaskEnd {
  readonly status: EndedTaskStatus;
  readonly error?: string;
  readonly summary?: string;
  readonly outcome?: TerminalOutcome;
  /** JSON text. */
  readonly resultJson?: string;
}

/** What stands in the record of a task that somebody cancelled. */
export const CANCELLED_ERROR = 'Cancelled by operator.';

/** No worker holds it any more. */
export const NO_LEASE = { leaseHash: null, leaseOwner: null, leaseExpiresAt: null } as const;

/**
 * Ends a task that goes on. When it was the last one of a flow that is to be cancelled, the flow ends
 * with it, in the same transaction.
 */
export function endTask(work: Work, task: TaskRecord, end: TaskEnd): TaskRecord {
  const endedAt = Math.max(work.nowMs, task.startedAt ?? task.createdAt);
  const ended: TaskRecord = {
    ...task,
    ...NO_LEASE,
    revision: task.revision + 1,
    status: end.status,
    error: end.error ?? (end.status === 'succeeded' ? null : task.error),
    terminalSummary: end.summary ?? null,
    terminalOutcome: end.outcome ?? null,
    resultJson: end.resultJson ?? null,
    endedAt,
    lastEventAt: endedAt,
    cleanupAfter: endedAt + work.policy.retentionMs,
    nextRunAt: null,
  };
  const isTold = notifyOfTask(work, ended, 'task.ended');
  const told: TaskRecord = { ...ended, deliveryStatus: isTold ? 'pending' : 'not_applicable' };
  writeTask(work, told);
  finishCancelling(work, task.flowSeq);
  return told;
}

/** Writes a task and says so. */
export function writeTask(work: Work, task: TaskRecord): void {
  work.tasks.update(task);
  work.changes.push({ type: 'task', task });
}

/** Ends a flow that somebody asked to cancel, if none of its tasks goes on. */
export function finishCancelling(work: Work, flowSeq: number): void {
  const flow = work.flows.bySeq(flowSeq);
  if (flow === undefined || hasFlowEnded(flow) || flow.cancelRequestedAt === null) return;
  if (work.tasks.activeOf(flowSeq) > 0) return;
  moveFlow(work, flow, 'cancel', {
    status: 'cancelled',
    waitJson: null,
    blockedTaskId: null,
    blockedSummary: null,
  });
}
