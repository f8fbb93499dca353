import type { FlowRecord } from '../../flow-model/flow-record.js';
import { SYSTEM, workerNamed } from '../../flow-model/history-record.js';
import type { TaskRecord } from '../../flow-model/task-record.js';
import type { Work } from '../flow-store.js';
import { by } from '../history.js';
import { notifyOfTask } from '../notify.js';
import type { QueueFilter } from '../store/task-table.js';
import { CANCELLED_ERROR, endTask, runAgainOr, writeTask } from './change-task.js';
import { hashLeaseToken, newLeaseToken } from './report-task.js';

/** Who claims a task, and which ones fit. */
export interface ClaimRequest extends QueueFilter {
  /** The worker's name for people: `host:4711`. */
  readonly worker: string;
  /** How long it can be silent, in milliseconds; as configured when left out. */
  readonly leaseMs?: number | undefined;
}

/** A task that a worker holds. */
export interface ClaimedTask {
  readonly task: TaskRecord;
  readonly flow: FlowRecord | undefined;
  /** The secret that every report needs. */
  readonly leaseToken: string;
  /** When the task is taken back unless the worker reports, epoch milliseconds. */
  readonly leaseExpiresAt: number;
}

/** Gives the oldest queued task to a worker. No two workers get the same task, in any process. */
export async function claimTask(
  work: Work,
  request: ClaimRequest,
): Promise<ClaimedTask | undefined> {
  const task = await work.tasks.nextQueued(work.nowMs, request);
  // None of them could be claimed now: they rest first, or have ended.
  await takeBackExpired(by(work, SYSTEM));
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
  await writeTask(by(work, workerNamed(request.worker)), task, claimed);
  await notifyOfTask(work, claimed, 'task.started');
  const flow = await work.flows.bySeq(task.flowSeq);
  return { task: claimed, flow, leaseToken, leaseExpiresAt };
}

const SILENT_ERROR = 'The worker stopped reporting.';

/** Per transaction. */
const MOST_AT_ONCE = 100;

/** Takes back tasks whose workers have not reported in time. @returns how many, by what became of them */
export async function takeBackExpired(work: Work) {
  const counts = { requeued: 0, lost: 0, cancelled: 0 };
  for (const task of await work.tasks.expired(work, MOST_AT_ONCE)) {
    const lost = { status: 'lost', error: SILENT_ERROR } as const;
    const isCancelled = task.cancelRequestedAt !== null;
    const after =
      work.policy.orphans === 'requeue' && !isCancelled
        ? await runAgainOr(work, task, lost)
        : await endTask(
            work,
            task,
            isCancelled ? { status: 'cancelled', error: CANCELLED_ERROR } : lost,
          );
    if (after.status === 'queued') counts.requeued += 1;
    else counts[isCancelled ? 'cancelled' : 'lost'] += 1;
  }
  return counts;
}
