import { SvcError } from '../../errors/index.js';
import { type FlowRecord, hasFlowEnded } from '../../flow-model/flow-record.js';
import {
  type EndedTaskStatus,
  hasTaskEnded,
  type TaskRecord,
} from '../../flow-model/task-record.js';
import { backoffMs } from '../../support/time.js';
import { moveFlow, NOTHING_WAITED_FOR } from '../flow-moves.js';
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
  const ended = await writeEnd(tx, task, end);
  await finishCancelling(tx, task.flowSeq);
  return ended;
}

async function writeEnd(tx: FlowTx, task: TaskRecord, end: TaskEnd): Promise<TaskRecord> {
  const endedAt = Math.max(tx.nowMs, task.startedAt ?? task.createdAt);
  const ended = changed(task, {
    ...NO_LEASE,
    status: end.status,
    error: end.error ?? (end.status === 'succeeded' ? null : task.error),
    terminalSummary: end.summary ?? null,
    terminalOutcome: end.outcome ?? null,
    resultJson: end.resultJson ?? null,
    endedAt,
    lastEventAt: endedAt,
    cleanupAfter: endedAt + tx.policy.retentionMs,
    nextRunAt: null,
  });
  const notifies = await notifyOfTask(tx, ended, 'task.ended');
  const deliveryStatus = notifies ? 'pending' : 'not_applicable';
  return changeTask(tx, task, { ...ended, deliveryStatus });
}

function changed(task: TaskRecord, patch: Partial<TaskRecord>): TaskRecord {
  return { ...task, ...patch, revision: task.revision + 1 };
}

/** Writes a change of a task, adds it to the history, and announces it: the only place that changes an existing one. */
export async function changeTask(
  tx: FlowTx,
  before: TaskRecord,
  patch: Partial<TaskRecord>,
): Promise<TaskRecord> {
  const task = changed(before, patch);
  await tx.tasks.update(task);
  tx.changes.push({ type: 'task', task });
  recordTask(tx, before, task);
  return task;
}

/** What a task starts with, before anything was delivered about it. */
export function firstDeliveryStatus(
  { policy }: FlowTx,
  notifyPolicy: TaskRecord['notifyPolicy'],
): TaskRecord['deliveryStatus'] {
  return notifyPolicy !== 'silent' && policy.targets.length > 0 ? 'pending' : 'not_applicable';
}

/** Ends a flow whose cancellation was requested, if it has no active task. */
export async function finishCancelling(tx: FlowTx, flowSeq: number): Promise<void> {
  const flow = await tx.flows.bySeq(flowSeq);
  if (flow === undefined || hasFlowEnded(flow) || flow.cancelRequestedAt === null) return;
  if ((await tx.tasks.activeOf(flowSeq)) > 0) return;
  await moveFlow(tx, flow, { ...NOTHING_WAITED_FOR, status: 'cancelled' });
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
  const queued = await changeTask(tx, task, {
    ...backInQueue(tx),
    error: end.error ?? null,
    nextRunAt: tx.nowMs + backoffMs(task.attempts, FIRST_DELAY_MS, LONGEST_DELAY_MS),
  });
  await notifyOfTask(tx, queued, 'task.queued');
  return queued;
}

function canContinue(flow: FlowRecord | undefined): boolean {
  return flow !== undefined && !hasFlowEnded(flow) && flow.cancelRequestedAt === null;
}

/** Queues a task again, without what its earlier attempt left. */
export function backInQueue({ nowMs }: FlowTx) {
  const status = 'queued' as const;
  return { ...NO_LEASE, status, progressSummary: null, lastEventAt: nowMs, nextRunAt: null };
}

/**
 * Cancels an active task. One that no worker holds ends at once. The worker of a running one learns of
 * it with its next report; if it never reports, the task ends with its lease.
 */
export async function cancelTask(tx: FlowTx, task: TaskRecord): Promise<TaskRecord> {
  const cancelled = await requestCancel(tx, task);
  await finishCancelling(tx, task.flowSeq);
  return cancelled;
}

/** Cancels all active tasks of a flow whose cancellation was requested, which ends unless a worker holds one. */
export async function cancelTasks(tx: FlowTx, flowSeq: number): Promise<void> {
  const tasks = await tx.tasks.ofFlow(flowSeq);
  const active = tasks.filter((task) => !hasTaskEnded(task));
  // At the same time: a server gets one statement for all of them.
  await Promise.all(active.map((task) => requestCancel(tx, task)));
  await finishCancelling(tx, flowSeq);
}

async function requestCancel(tx: FlowTx, task: TaskRecord): Promise<TaskRecord> {
  const isHeld = task.leaseExpiresAt !== null && task.leaseExpiresAt >= tx.nowMs;
  if (!isHeld) return writeEnd(tx, task, CANCELLED);
  if (task.cancelRequestedAt !== null) return task;
  return changeTask(tx, task, { cancelRequestedAt: tx.nowMs });
}

/** Queues a task again that did not succeed, with all of its attempts. Its flow must be active. */
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
  const queued = await changeTask(tx, task, {
    ...backInQueue(tx),
    deliveryStatus: firstDeliveryStatus(tx, task.notifyPolicy),
    attempts: 0,
    error: null,
    terminalSummary: null,
    terminalOutcome: null,
    resultJson: null,
    startedAt: null,
    endedAt: null,
    cleanupAfter: null,
    cancelRequestedAt: null,
  });
  await notifyOfTask(tx, queued, 'task.queued');
  return queued;
}
