import { SvcError } from '../../errors/index.js';
import { type FlowRecord, hasFlowEnded } from '../../flow-model/flow-record.js';
import type { EndedTaskStatus, TaskRecord } from '../../flow-model/task-record.js';
import { backoffMs } from '../../support/time.js';
import { moveFlow } from '../flow-moves.js';
import type { FlowTx } from '../flow-store.js';
import { recordTask } from '../history.js';
import { notifyOfTask } from '../notify.js';

/** How a task ends. */
export interface TaskEnd {
  readonly status: EndedTaskStatus;
  readonly error?: string | undefined;
  readonly summary?: string | undefined;
  readonly outcome?: TaskRecord['terminalOutcome'];
  /** JSON text. */
  readonly resultJson?: string | undefined;
}

export const CANCELLED: TaskEnd = { status: 'cancelled', error: 'Cancelled by operator.' };

const NO_LEASE = { leaseHash: null, leaseOwner: null, leaseExpiresAt: null } as const;

/**
 * Ends an active task. If it was the last one of a flow whose cancellation was requested, the flow ends
 * in the same transaction.
 */
export async function endTask(tx: FlowTx, task: TaskRecord, end: TaskEnd): Promise<TaskRecord> {
  const endedAt = Math.max(tx.nowMs, task.startedAt ?? task.createdAt);
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
    cleanupAfter: endedAt + tx.policy.retentionMs,
    nextRunAt: null,
  };
  const notifies = await notifyOfTask(tx, ended, 'task.ended');
  const written: TaskRecord = { ...ended, deliveryStatus: notifies ? 'pending' : 'not_applicable' };
  await writeTask(tx, task, written);
  await finishCancelling(tx, task.flowSeq);
  return written;
}

/** Writes a task, adds the change to the history, and announces it. */
export async function writeTask(tx: FlowTx, before: TaskRecord, task: TaskRecord): Promise<void> {
  await tx.tasks.update(task);
  tx.changes.push({ type: 'task', task });
  recordTask(tx, before, task);
}

/** Ends a flow whose cancellation was requested, if it has no active task. */
export async function finishCancelling(tx: FlowTx, flowSeq: number): Promise<void> {
  const flow = await tx.flows.bySeq(flowSeq);
  if (flow === undefined || hasFlowEnded(flow) || flow.cancelRequestedAt === null) return;
  if ((await tx.tasks.activeOf(flowSeq)) > 0) return;
  await moveFlow(tx, flow, {
    status: 'cancelled',
    waitJson: null,
    blockedTaskId: null,
    blockedSummary: null,
  });
}

const FIRST_DELAY_MS = 5000;
const LONGEST_DELAY_MS = 300_000;

/**
 * What becomes of a task that did not succeed: if its cancellation was requested, it is cancelled; otherwise it is queued
 * again if that is wanted, it has attempts left and its flow is active.
 */
export async function endAttempt(
  tx: FlowTx,
  task: TaskRecord,
  end: TaskEnd,
  isRetried: boolean,
): Promise<TaskRecord> {
  if (task.cancelRequestedAt !== null) return endTask(tx, task, CANCELLED);
  const canRetry =
    isRetried &&
    task.attempts < tx.policy.maxAttempts(task.runtime) &&
    canContinue(await tx.flows.bySeq(task.flowSeq));
  if (!canRetry) return endTask(tx, task, end);
  const queued: TaskRecord = {
    ...backInQueue(tx, task),
    error: end.error ?? null,
    nextRunAt: tx.nowMs + backoffMs(task.attempts, FIRST_DELAY_MS, LONGEST_DELAY_MS),
  };
  await writeTask(tx, task, queued);
  await notifyOfTask(tx, queued, 'task.queued');
  return queued;
}

function canContinue(flow: FlowRecord | undefined): boolean {
  return flow !== undefined && !hasFlowEnded(flow) && flow.cancelRequestedAt === null;
}

/** A task as it is queued again, without what its earlier attempt left. */
export function backInQueue(tx: FlowTx, task: TaskRecord): TaskRecord {
  return {
    ...task,
    ...NO_LEASE,
    revision: task.revision + 1,
    status: 'queued',
    progressSummary: null,
    lastEventAt: tx.nowMs,
    nextRunAt: null,
  };
}

/**
 * Cancels an active task. One that no worker holds ends at once. The worker of a running one learns of
 * it with its next report; if it never reports, the task ends with its lease.
 */
export async function cancelTask(tx: FlowTx, task: TaskRecord): Promise<TaskRecord> {
  const isHeld = task.leaseExpiresAt !== null && task.leaseExpiresAt >= tx.nowMs;
  if (!isHeld) return endTask(tx, task, CANCELLED);
  if (task.cancelRequestedAt !== null) return task;
  const requested: TaskRecord = {
    ...task,
    revision: task.revision + 1,
    cancelRequestedAt: tx.nowMs,
  };
  await writeTask(tx, task, requested);
  return requested;
}

/**
 * Queues a task again that did not succeed, with all of its attempts. Its flow must be active.
 */
export async function retryTask(tx: FlowTx, task: TaskRecord): Promise<TaskRecord | SvcError> {
  const isOver = task.endedAt !== null && task.status !== 'succeeded';
  if (!isOver) {
    return new SvcError(
      'TASK_NOT_RETRYABLE',
      `cannot retry task ${task.taskId}: its status is ${task.status}`,
      {
        hint: 'only a task that failed, timed out, was cancelled or lost can be retried',
      },
    );
  }
  const flow = await tx.flows.bySeq(task.flowSeq);
  if (!canContinue(flow)) {
    return new SvcError('FLOW_ENDED', `flow ${task.parentFlowId} has ended or is being cancelled`, {
      hint: 'its tasks cannot run again; create another flow',
    });
  }
  const notifies = task.notifyPolicy !== 'silent' && tx.policy.targets.length > 0;
  const queued: TaskRecord = {
    ...backInQueue(tx, task),
    deliveryStatus: notifies ? 'pending' : 'not_applicable',
    attempts: 0,
    error: null,
    terminalSummary: null,
    terminalOutcome: null,
    resultJson: null,
    startedAt: null,
    endedAt: null,
    cleanupAfter: null,
    cancelRequestedAt: null,
  };
  await writeTask(tx, task, queued);
  await notifyOfTask(tx, queued, 'task.queued');
  return queued;
}
