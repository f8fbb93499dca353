import type { FlowRecord } from '../flow-record.js';
import { notifyOfTask } from '../notify/notify.js';
import type { QueueFilter } from '../store/task-rows.js';
import type { TaskRecord } from '../task-record.js';
import type { Work } from '../work.js';
import { writeTask } from './end-task.js';
import { hashLeaseToken, newLeaseToken } from './lease-token.js';
import { takeBackExpired } from './take-back.js';

/** Who wants a task, and which. */
export interface ClaimRequest extends QueueFilter {
  /** What the worker calls itself, for people: `host:4711`. */
  readonly worker: string;
  /** How long it may be silent, in milliseconds; the configuration's time when left out. */
  readonly leaseMs?: number | undefined;
}

/** A task that was given to a worker. */
export interface ClaimedTask {
  readonly task: TaskRecord;
  readonly flow: FlowRecord | undefined;
  /** Shown with every report; a secret, and nowhere else. */
  readonly leaseToken: string;
  /** When the task is taken back unless the worker reports before, epoch milliseconds. */
  readonly leaseExpiresAt: number;
}

/** Gives the oldest task that waits to a worker. Never two workers one task, in any processes. */
export function claimTask(work: Work, request: ClaimRequest): ClaimedTask | undefined {
  takeBackExpired(work);
  const task = work.tasks.nextQueued(work.nowMs, request);
  if (task === undefined) return undefined;
  const leaseToken = newLeaseToken();
  const leaseExpiresAt = work.nowMs + (request.leaseMs ?? work.policy.leaseMs);
  const claimed: TaskRecord = {
    ...task,
    revision: task.revision + 1,
    status: 'running',
    attempts: task.attempts + 1,
    startedAt: task.startedAt ?? Math.max(work.nowMs, task.createdAt),
    lastEventAt: work.nowMs,
    nextRunAt: null,
    leaseHash: hashLeaseToken(leaseToken),
    leaseOwner: request.worker,
    leaseExpiresAt,
  };
  writeTask(work, claimed);
  notifyOfTask(work, claimed, 'task.started');
  return { task: claimed, flow: work.flows.bySeq(task.flowSeq), leaseToken, leaseExpiresAt };
}
