import { hasFlowEnded } from '../flow-record.js';
import { notifyOfTask } from '../notify/notify.js';
import type { TaskRecord } from '../task-record.js';
import type { Work } from '../work.js';
import { CANCELLED_ERROR, endTask, NO_LEASE, type TaskEnd, writeTask } from './end-task.js';

const FIRST_REST_MS = 5000;
const LONGEST_REST_MS = 300_000;

/** How long a task rests before it is begun again; doubles with every attempt. */
function retryRestMs(attempts: number): number {
  return Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.max(0, attempts - 1));
}

/**
 * Puts a task that did not succeed back into the queue while it has attempts left and its flow wants
 * more than to end; otherwise ends it.
 */
export function runAgainOr(work: Work, task: TaskRecord, end: TaskEnd): TaskRecord {
  if (task.cancelRequestedAt !== null) {
    return endTask(work, task, { status: 'cancelled', error: CANCELLED_ERROR });
  }
  const flow = work.flows.bySeq(task.flowSeq);
  const goesOn = flow !== undefined && !hasFlowEnded(flow) && flow.cancelRequestedAt === null;
  if (!goesOn || task.attempts >= work.policy.maxAttempts(task.runtime)) {
    return endTask(work, task, end);
  }
  const queued: TaskRecord = {
    ...backInQueue(work, task),
    error: end.error ?? null,
    nextRunAt: work.nowMs + retryRestMs(task.attempts),
  };
  writeTask(work, queued);
  notifyOfTask(work, queued, 'task.queued');
  return queued;
}

/** A running task as one that waits. */
export function backInQueue(work: Work, task: TaskRecord): TaskRecord {
  return {
    ...task,
    ...NO_LEASE,
    revision: task.revision + 1,
    status: 'queued',
    lastEventAt: work.nowMs,
    nextRunAt: null,
  };
}
