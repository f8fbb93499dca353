import type { FlowRecord } from '../../flow-model/flow-record.js';
import { SYSTEM, workerNamed } from '../../flow-model/history-record.js';
import type { TaskRecord } from '../../flow-model/task-record.js';
import type { FlowTx } from '../flow-store.js';
import { actingAs } from '../history.js';
import { notifyOfTask } from '../notify.js';
import type { QueueFilter } from '../store/task-table.js';
import { CANCELLED_ERROR, endTask, retryOrEnd, writeTask } from './change-task.js';
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
  /** When it was asked for, by `runningMs()`: the lease began after that, however late the answer came. */
  readonly askedAtMs: number;
}

/** Gives the oldest queued task to a worker. No two workers get the same task, in any process. */
export async function claimTask(
  tx: FlowTx,
  request: ClaimRequest,
): Promise<Omit<ClaimedTask, 'askedAtMs'> | undefined> {
  const task = await tx.tasks.nextQueued(tx.nowMs, request);
  // After the claim: what is taken back could not be claimed now, as it waits for its retry or has ended.
  await takeBackExpired(actingAs(tx, SYSTEM));
  if (task === undefined) return undefined;
  const leaseToken = newLeaseToken();
  const leaseExpiresAt = tx.nowMs + (request.leaseMs ?? tx.policy.leaseMs);
  const claimed: TaskRecord = {
    ...task,
    revision: task.revision + 1,
    status: 'running',
    attempts: task.attempts + 1,
    startedAt: task.startedAt ?? Math.max(tx.nowMs, task.createdAt),
    lastEventAt: tx.nowMs,
    nextRunAt: null,
    leaseHash: hashLeaseToken(leaseToken),
    leaseOwner: request.worker,
    leaseExpiresAt,
  };
  await writeTask(actingAs(tx, workerNamed(request.worker)), task, claimed);
  await notifyOfTask(tx, claimed, 'task.started');
  const flow = await tx.flows.bySeq(task.flowSeq);
  return { task: claimed, flow, leaseToken, leaseExpiresAt };
}

const SILENT_ERROR = 'The worker stopped reporting.';

/** Per transaction. */
const MOST_AT_ONCE = 100;

/** Takes back tasks whose workers have not reported in time. @returns how many were requeued, lost and cancelled */
export async function takeBackExpired(tx: FlowTx) {
  const counts = { requeued: 0, lost: 0, cancelled: 0 };
  for (const task of await tx.tasks.expired(tx, MOST_AT_ONCE)) {
    const lost = { status: 'lost', error: SILENT_ERROR } as const;
    const isCancelled = task.cancelRequestedAt !== null;
    const after =
      tx.policy.orphans === 'requeue' && !isCancelled
        ? await retryOrEnd(tx, task, lost)
        : await endTask(
            tx,
            task,
            isCancelled ? { status: 'cancelled', error: CANCELLED_ERROR } : lost,
          );
    if (after.status === 'queued') counts.requeued += 1;
    else counts[isCancelled ? 'cancelled' : 'lost'] += 1;
  }
  return counts;
}
