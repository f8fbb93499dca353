import { SvcError } from '../../errors/index.js';
import { type FlowRecord, hasFlowEnded } from '../../flow-model/flow-record.js';
import type { EndedTaskStatus, TaskRecord } from '../../flow-model/task-record.js';
import { doublingRestMs } from '../../support/time.js';
import { moveFlow } from '../flow-moves.js';
import type { Work } from '../flow-store.js';
import { noteTask } from '../history.js';
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

export const CANCELLED_ERROR = 'Cancelled by operator.';

const NO_LEASE = { leaseHash: null, leaseOwner: null, leaseExpiresAt: null } as const;

/**
 * Ends an active task. If it was the last one of a flow whose cancellation was requested, the flow ends
 * in the same transaction.
 */
export async function endTask(work: Work, task: TaskRecord, end: TaskEnd): Promise<TaskRecord> {
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
  const notifies = await notifyOfTask(work, ended, 'task.ended');
  const noted: TaskRecord = { ...ended, deliveryStatus: notifies ? 'pending' : 'not_applicable' };
  await writeTask(work, task, noted);
  await finishCancelling(work, task.flowSeq);
  return noted;
}

/** Writes a task, notes what became of it, and announces the change. */
export async function writeTask(work: Work, before: TaskRecord, task: TaskRecord): Promise<void> {
  await work.tasks.update(task);
  work.changes.push({ type: 'task', task });
  noteTask(work, before, task);
}

/** Ends a flow whose cancellation was requested, if it has no active task. */
export async function finishCancelling(work: Work, flowSeq: number): Promise<void> {
  const flow = await work.flows.bySeq(flowSeq);
  if (flow === undefined || hasFlowEnded(flow) || flow.cancelRequestedAt === null) return;
  if ((await work.tasks.activeOf(flowSeq)) > 0) return;
  await moveFlow(work, flow, {
    status: 'cancelled',
    waitJson: null,
    blockedTaskId: null,
    blockedSummary: null,
  });
}

const FIRST_REST_MS = 5000;
const LONGEST_REST_MS = 300_000;

/** Puts a failed task back into the queue while it has attempts left and its flow continues; else ends it. */
export async function runAgainOr(work: Work, task: TaskRecord, end: TaskEnd): Promise<TaskRecord> {
  if (task.cancelRequestedAt !== null) {
    return endTask(work, task, { status: 'cancelled', error: CANCELLED_ERROR });
  }
  const flow = await work.flows.bySeq(task.flowSeq);
  if (!continues(flow) || task.attempts >= work.policy.maxAttempts(task.runtime)) {
    return endTask(work, task, end);
  }
  const queued: TaskRecord = {
    ...backInQueue(work, task),
    error: end.error ?? null,
    nextRunAt: work.nowMs + doublingRestMs(task.attempts, FIRST_REST_MS, LONGEST_REST_MS),
  };
  await writeTask(work, task, queued);
  await notifyOfTask(work, queued, 'task.queued');
  return queued;
}

function continues(flow: FlowRecord | undefined): boolean {
  return flow !== undefined && !hasFlowEnded(flow) && flow.cancelRequestedAt === null;
}

/** A task as a queued one; what an earlier attempt did is over. */
export function backInQueue(work: Work, task: TaskRecord): TaskRecord {
  return {
    ...task,
    ...NO_LEASE,
    revision: task.revision + 1,
    status: 'queued',
    progressSummary: null,
    lastEventAt: work.nowMs,
    nextRunAt: null,
  };
}

/**
 * Cancels an active task. One that no worker holds ends at once. The worker of a running one learns of
 * it with its next report; if it never reports, the task ends with its lease.
 */
export async function cancelTask(work: Work, task: TaskRecord): Promise<TaskRecord> {
  const isHeld = task.leaseExpiresAt !== null && task.leaseExpiresAt >= work.nowMs;
  if (!isHeld) return endTask(work, task, { status: 'cancelled', error: CANCELLED_ERROR });
  if (task.cancelRequestedAt !== null) return task;
  const requested: TaskRecord = {
    ...task,
    revision: task.revision + 1,
    cancelRequestedAt: work.nowMs,
  };
  await writeTask(work, task, requested);
  return requested;
}

/**
 * Queues a task again that did not succeed, with all of its attempts. Its flow must be active.
 */
export async function retryTask(work: Work, task: TaskRecord): Promise<TaskRecord | SvcError> {
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
  const flow = await work.flows.bySeq(task.flowSeq);
  if (!continues(flow)) {
    return new SvcError('FLOW_ENDED', `flow ${task.parentFlowId} has ended or is being cancelled`, {
      hint: 'its tasks cannot run again; create another flow',
    });
  }
  const notifies = task.notifyPolicy !== 'silent' && work.policy.targets.length > 0;
  const queued: TaskRecord = {
    ...backInQueue(work, task),
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
  await writeTask(work, task, queued);
  await notifyOfTask(work, queued, 'task.queued');
  return queued;
}
