import { hash } from 'node:crypto';
import { SvcError } from '../../errors/index.js';
import type { JsonValue } from '../../flow-model/fields.js';
import type { FlowRecord } from '../../flow-model/flow-record.js';
import { workerNamed } from '../../flow-model/history-record.js';
import { hasTaskEnded, type TaskRecord } from '../../flow-model/task-record.js';
import { randomToken } from '../../support/crypto.js';
import { isTooDeep, MOST_JSON_DEPTH } from '../../support/json-fault.js';
import type { FlowTx } from '../flow-store.js';
import { actingAs } from '../history.js';
import { notifyOfTask } from '../notify.js';
import type { QueueFilter } from '../store/task-table.js';
import { backInQueue, CANCELLED, changeTask, endAttempt, endTask } from './change-task.js';

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
  /** When it was asked for, by `runningMs()`: the lease began after that, however late the answer came. */
  readonly askedAtMs: number;
}

/** Gives the oldest queued task to a worker. No two workers get the same task, in any process. */
export async function claimTask(tx: FlowTx, request: ClaimRequest) {
  const task = await tx.tasks.nextQueued(tx.nowMs, request);
  // After the claim: what is taken back could not be claimed now, as it waits for its retry or has ended.
  await takeBackExpired(tx);
  if (task === undefined) return undefined;
  const leaseToken = newLeaseToken();
  const [claimed, flow] = await Promise.all([
    changeTask(actingAs(tx, workerNamed(request.worker)), task, {
      status: 'running',
      attempts: task.attempts + 1,
      startedAt: task.startedAt ?? Math.max(tx.nowMs, task.createdAt),
      lastEventAt: tx.nowMs,
      nextRunAt: null,
      leaseHash: hashLeaseToken(leaseToken),
      leaseOwner: request.worker,
      leaseExpiresAt: tx.nowMs + (request.leaseMs ?? tx.policy.leaseMs),
    }),
    tx.flows.bySeq(task.flowSeq),
  ]);
  await notifyOfTask(tx, claimed, 'task.started');
  return { task: claimed, flow, leaseToken };
}

/** A secret that proves who holds a task. It never starts with a dash, which would make it a flag. */
function newLeaseToken(): string {
  return `lt_${randomToken()}`;
}

/** Only the hash is stored: whoever reads the database cannot pose as the worker. */
function hashLeaseToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** What a worker needs to report on a task. */
export interface TaskLease {
  readonly taskId: string;
  /** From the claim. A task that runs elsewhere needs none. */
  readonly token: string | undefined;
}

/** The answer to a worker's report: the task after it, or why it was refused. */
export type LeaseAnswer =
  | { readonly ok: true; readonly task: TaskRecord }
  | { readonly ok: false; readonly code: 'not_found' }
  /** It has ended: cancelled, lost, or by an earlier report. */
  | { readonly ok: false; readonly code: 'ended'; readonly task: TaskRecord }
  /** The token is wrong, or the task was taken back because its worker was silent for too long. */
  | { readonly ok: false; readonly code: 'lease_lost'; readonly task: TaskRecord };

/** Makes a report on a task that its worker holds, on behalf of that worker. @param report returns the changed task */
async function whileHeld(
  systemTx: FlowTx,
  { taskId, token }: TaskLease,
  report: (task: TaskRecord, tx: FlowTx) => Promise<TaskRecord>,
): Promise<LeaseAnswer> {
  const task = await systemTx.tasks.byId(taskId);
  if (task === undefined) return { ok: false, code: 'not_found' };
  if (hasTaskEnded(task)) return { ok: false, code: 'ended', task };
  // One that runs elsewhere has no lease; the token is that of another task, left in the environment of a worker.
  const holds =
    task.leaseHash === null || (token !== undefined && task.leaseHash === hashLeaseToken(token));
  if (task.status !== 'running' || !holds) return { ok: false, code: 'lease_lost', task };
  return { ok: true, task: await report(task, actingAs(systemTx, workerNamed(task.leaseOwner))) };
}

/** What a worker reports while it runs a task. */
export interface TaskReport {
  /** One line. */
  readonly progress?: string | undefined;
  /** How long the worker can be silent from now on, in milliseconds. */
  readonly leaseMs?: number | undefined;
}

/** Extends the lease. If cancellation of the task was requested, the worker should stop and report that it failed. */
export function heartbeat(
  systemTx: FlowTx,
  lease: TaskLease,
  report: TaskReport,
): Promise<LeaseAnswer> {
  return whileHeld(systemTx, lease, async (task, tx) => {
    const isNews = report.progress !== undefined && report.progress !== task.progressSummary;
    const leaseMs = report.leaseMs ?? tx.policy.leaseMs;
    const after = await changeTask(tx, task, {
      progressSummary: report.progress ?? task.progressSummary,
      lastEventAt: tx.nowMs,
      // One that runs elsewhere cannot be taken back.
      leaseExpiresAt: task.leaseHash === null ? null : tx.nowMs + leaseMs,
    });
    if (isNews) await notifyOfTask(tx, after, 'task.progress');
    return after;
  });
}

/** What a worker did. */
export interface TaskSuccess {
  /** One line for people. */
  readonly summary?: string | undefined;
  /** `blocked`: it did what it could, and somebody else has to continue. */
  readonly outcome?: NonNullable<TaskRecord['terminalOutcome']> | undefined;
  readonly result?: JsonValue | undefined;
}

/** The result of a task as it is stored; undefined if there is none. @throws SvcError TASK_RESULT_TOO_DEEP */
export function resultText({ result }: TaskSuccess): string | undefined {
  if (!isTooDeep(result)) return JSON.stringify(result);
  throw new SvcError(
    'TASK_RESULT_TOO_DEEP',
    `the result is nested deeper than ${MOST_JSON_DEPTH} levels`,
    { hint: 'send a flatter result, or send the nested part as a string' },
  );
}

/**
 * Succeeds also when its cancellation was requested meanwhile: the work is done.
 *
 * @param resultJson see {@link resultText}
 */
export function completeTask(
  systemTx: FlowTx,
  lease: TaskLease,
  { summary, outcome = 'succeeded' }: TaskSuccess,
  resultJson: string | undefined,
): Promise<LeaseAnswer> {
  return whileHeld(systemTx, lease, (task, tx) =>
    endTask(tx, task, { status: 'succeeded', outcome, summary, resultJson }),
  );
}

/** Why a worker gave up. */
export interface TaskFailure {
  readonly error: string;
  /** Whether another attempt could succeed; true when left out. */
  readonly retry?: boolean | undefined;
  readonly timedOut?: boolean | undefined;
}

/**
 * Ends an attempt: the task is retried after a delay while it has attempts left. One whose cancellation
 * was requested is cancelled now. One that runs elsewhere is not retried.
 */
export function failTask(
  systemTx: FlowTx,
  lease: TaskLease,
  { error, retry = true, timedOut = false }: TaskFailure,
): Promise<LeaseAnswer> {
  return whileHeld(systemTx, lease, (task, tx) => {
    const end = { status: timedOut ? 'timed_out' : 'failed', error } as const;
    return endAttempt(tx, task, end, retry && task.leaseHash !== null);
  });
}

/** Returns a claimed task to the queue: its worker stops before the work is done. The attempt does not count. */
export function releaseTask(systemTx: FlowTx, lease: TaskLease): Promise<LeaseAnswer> {
  return whileHeld(systemTx, lease, async (task, tx) => {
    if (task.cancelRequestedAt !== null) return endTask(tx, task, CANCELLED);
    return changeTask(tx, task, { ...backInQueue(tx), attempts: Math.max(0, task.attempts - 1) });
  });
}

const LOST = { status: 'lost', error: 'The worker stopped reporting.' } as const;

/** Per transaction. */
const MOST_AT_ONCE = 100;

/** Takes back tasks whose workers have not reported in time. @returns how many were requeued, lost and cancelled */
export async function takeBackExpired(tx: FlowTx) {
  const counts = { requeued: 0, lost: 0, cancelled: 0 };
  for (const task of await tx.tasks.expired(tx, MOST_AT_ONCE)) {
    const { status } = await endAttempt(tx, task, LOST, tx.policy.orphans === 'requeue');
    if (status === 'queued') counts.requeued += 1;
    else counts[status === 'cancelled' ? 'cancelled' : 'lost'] += 1;
  }
  return counts;
}
