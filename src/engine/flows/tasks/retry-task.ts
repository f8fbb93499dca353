import { hasFlowEnded } from '../flow-record.js';
import type { TaskRecord } from '../task-record.js';
import type { Work } from '../work.js';
import { writeTask } from './end-task.js';
import { backInQueue } from './run-again.js';

/** What came of an operator's wish to run a task again. */
export type RetryAnswer =
  | { readonly ok: true; readonly task: TaskRecord }
  | { readonly ok: false; readonly code: 'flow_ended' | 'not_retryable' };

/**
 * Puts a task that ended badly into the queue again, with all of its attempts. Only an operator can;
 * its flow must want more than to end.
 */
export function retryTask(work: Work, task: TaskRecord): RetryAnswer {
  const isOver = task.endedAt !== null && task.status !== 'succeeded';
  if (!isOver) return { ok: false, code: 'not_retryable' };
  const flow = work.flows.bySeq(task.flowSeq);
  if (flow === undefined || hasFlowEnded(flow) || flow.cancelRequestedAt !== null) {
    return { ok: false, code: 'flow_ended' };
  }
  const isTold = task.notifyPolicy !== 'silent' && work.policy.notifies;
  const queued: TaskRecord = {
    ...backInQueue(work, task),
    deliveryStatus: isTold ? 'pending' : 'not_applicable',
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
  writeTask(work, queued);
  return { ok: true, task: queued };
}
