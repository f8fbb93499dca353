import { type JsonValue, toJsonText } from '../json.js';
import { notifyOfTask } from '../notify/notify.js';
import type { TaskRecord, TerminalOutcome } from '../task-record.js';
import type { Work } from '../work.js';
import { endTask, writeTask } from './end-task.js';
import { heldTask, type LeaseAnswer, type LeaseRefusal, type TaskLease } from './lease.js';
import { backInQueue, runAgainOr } from './run-again.js';

/** A sign of life. */
export interface TaskReport {
  /** What is being done, in a line. */
  readonly progress?: string | undefined;
  /** How long the worker may be silent from now on, in milliseconds. */
  readonly leaseMs?: number | undefined;
}

/** What a worker hears back. */
export type HeartbeatAnswer =
  | LeaseRefusal
  | {
      readonly ok: true;
      readonly task: TaskRecord;
      /** Undefined for a task that runs elsewhere: it cannot be taken back. */
      readonly leaseExpiresAt: number | undefined;
      /** The worker should stop, and say that it failed. */
      readonly cancelRequested: boolean;
    };

/** Takes a sign of life, and tells the worker when it should stop. */
export function heartbeat(work: Work, lease: TaskLease, report: TaskReport): HeartbeatAnswer {
  const held = heldTask(work, lease);
  if (!held.ok) return held;
  const { task } = held;
  const isNews = report.progress !== undefined && report.progress !== task.progressSummary;
  const leaseMs = report.leaseMs ?? work.policy.leaseMs;
  const after: TaskRecord = {
    ...task,
    revision: task.revision + 1,
    progressSummary: report.progress ?? task.progressSummary,
    lastEventAt: work.nowMs,
    leaseExpiresAt: task.leaseHash === null ? null : work.nowMs + leaseMs,
  };
  writeTask(work, after);
  if (isNews) notifyOfTask(work, after, 'task.progress');
  return {
    ok: true,
    task: after,
    leaseExpiresAt: after.leaseExpiresAt ?? undefined,
    cancelRequested: after.cancelRequestedAt !== null,
  };
}

/** What a worker achieved. */
export interface TaskSuccess {
  /** In a line, for people. */
  readonly summary?: string | undefined;
  /** `blocked`: it did what it could, and somebody else has to go on. */
  readonly outcome?: TerminalOutcome | undefined;
  readonly result?: JsonValue | undefined;
}

/** Ends a task well, also when somebody asked to cancel it meanwhile: it was done. */
export function completeTask(work: Work, lease: TaskLease, success: TaskSuccess): LeaseAnswer {
  const held = heldTask(work, lease);
  if (!held.ok) return held;
  const { summary, outcome = 'succeeded', result } = success;
  const resultJson = result === undefined ? undefined : toJsonText(result);
  const task = endTask(work, held.task, {
    status: 'succeeded',
    outcome,
    ...(summary === undefined ? {} : { summary }),
    ...(resultJson === undefined ? {} : { resultJson }),
  });
  return { ok: true, task };
}

/** Why a worker gave up. */
export interface TaskFailure {
  readonly error: string;
  /** Whether another attempt may go better; true when left out. */
  readonly retry?: boolean | undefined;
  readonly timedOut?: boolean | undefined;
}

/**
 * Ends an attempt badly: the task runs again after a rest while it has attempts left. One that was to
 * be cancelled is cancelled now. One that runs elsewhere has no further attempts.
 */
export function failTask(work: Work, lease: TaskLease, failure: TaskFailure): LeaseAnswer {
  const held = heldTask(work, lease);
  if (!held.ok) return held;
  const { task } = held;
  const { error, retry = true, timedOut = false } = failure;
  const end = { status: timedOut ? 'timed_out' : 'failed', error } as const;
  const mayGoOn = task.cancelRequestedAt !== null || (retry && task.leaseHash !== null);
  return { ok: true, task: mayGoOn ? runAgainOr(work, task, end) : endTask(work, task, end) };
}

/** Gives a task back untouched: its worker stops before the work does. The attempt does not count. */
export function releaseTask(work: Work, lease: TaskLease): LeaseAnswer {
  const held = heldTask(work, lease);
  if (!held.ok) return held;
  const { task } = held;
  if (task.leaseHash === null) return { ok: false, code: 'lease_lost', task };
  if (task.cancelRequestedAt !== null) {
    return { ok: true, task: runAgainOr(work, task, { status: 'cancelled' }) };
  }
  const queued = { ...backInQueue(work, task), attempts: Math.max(0, task.attempts - 1) };
  writeTask(work, queued);
  return { ok: true, task: queued };
}
