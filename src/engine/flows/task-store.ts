import { SvcError } from '../errors/index.js';
import { findTask } from './find-record.js';
import type { FlowStore } from './flow-store.js';
import { hasTaskEnded, type TaskRecord } from './task-record.js';
import { cancelTask } from './tasks/cancel-task.js';
import { type ClaimedTask, type ClaimRequest, claimTask } from './tasks/claim-task.js';
import type { LeaseAnswer, TaskLease } from './tasks/lease.js';
import {
  completeTask,
  failTask,
  type HeartbeatAnswer,
  heartbeat,
  releaseTask,
  type TaskFailure,
  type TaskReport,
  type TaskSuccess,
} from './tasks/report-task.js';
import { retryTask } from './tasks/retry-task.js';

/** What workers and operators do with tasks. All of it resolves when it is on disk. */
export interface TaskStore {
  /** Gives the oldest task that waits to a worker; undefined when none does. */
  claim(request: ClaimRequest): Promise<ClaimedTask | undefined>;
  heartbeat(lease: TaskLease, report?: TaskReport): Promise<HeartbeatAnswer>;
  complete(lease: TaskLease, success?: TaskSuccess): Promise<LeaseAnswer>;
  fail(lease: TaskLease, failure: TaskFailure): Promise<LeaseAnswer>;
  /** Gives it back untouched: the worker stops before the work does. */
  release(lease: TaskLease): Promise<LeaseAnswer>;
  /** @throws SvcError TASK_NOT_FOUND, TASK_ENDED */
  cancel(idOrPrefix: string): Promise<TaskRecord>;
  /** @throws SvcError TASK_NOT_FOUND, TASK_NOT_RETRYABLE, FLOW_ENDED */
  retry(idOrPrefix: string): Promise<TaskRecord>;
  /** When something comes due by itself, epoch milliseconds: a rest is over, a lease ends. */
  nextDueAt(): number | undefined;
}

/** The tasks of an open store. */
export function taskStore(store: FlowStore): TaskStore {
  return {
    claim: (request) => store.write((work) => claimTask(work, request)),
    heartbeat: (lease, report = {}) => store.write((work) => heartbeat(work, lease, report)),
    complete: (lease, success = {}) => store.write((work) => completeTask(work, lease, success)),
    fail: (lease, failure) => store.write((work) => failTask(work, lease, failure)),
    release: (lease) => store.write((work) => releaseTask(work, lease)),
    cancel: async (idOrPrefix) =>
      orThrow(
        await store.write((work) => {
          const task = findTask(work, idOrPrefix);
          if (task instanceof SvcError) return task;
          if (hasTaskEnded(task)) {
            return new SvcError('TASK_ENDED', `task ${task.taskId} is ${task.status} already`, {
              hint: 'there is nothing left to cancel',
            });
          }
          return cancelTask(work, task);
        }),
      ),
    retry: async (idOrPrefix) =>
      orThrow(
        await store.write((work) => {
          const task = findTask(work, idOrPrefix);
          if (task instanceof SvcError) return task;
          const answer = retryTask(work, task);
          return answer.ok ? answer.task : retryRefusal(task, answer.code);
        }),
      ),
    nextDueAt: () => store.read(({ tasks }) => tasks.nextDueAt()),
  };
}

function retryRefusal(task: TaskRecord, code: 'flow_ended' | 'not_retryable'): SvcError {
  return code === 'flow_ended'
    ? new SvcError('FLOW_ENDED', `flow ${task.parentFlowId} has ended, or is to be cancelled`, {
        hint: 'its tasks run no more; create another flow',
      })
    : new SvcError('TASK_NOT_RETRYABLE', `task ${task.taskId} is ${task.status}`, {
        hint: 'only a task that ended badly can be run again',
      });
}

/** Out of a transaction an error comes as a value: thrown inside, it would take others with it. */
export function orThrow<T>(answer: SvcError | T): T {
  if (answer instanceof SvcError) throw answer;
  return answer;
}
