import type { TaskId } from '../ids.js';
import { hasTaskEnded, type TaskRecord } from '../task-record.js';
import type { Tables } from '../work.js';
import { hashLeaseToken } from './lease-token.js';

/** What a worker shows to report on a task. */
export interface TaskLease {
  readonly taskId: TaskId | string;
  /**
   * The token it was given with the task. Undefined only for a task that was noted as running
   * elsewhere, which has none.
   */
  readonly token: string | undefined;
}

/** Why a worker's report was not taken. */
export type LeaseRefusal =
  | { readonly ok: false; readonly code: 'not_found' }
  /** It ended meanwhile: cancelled, lost, or by an earlier report. */
  | { readonly ok: false; readonly code: 'ended'; readonly task: TaskRecord }
  /** The token is wrong, or the task was taken away because nothing was heard for too long. */
  | { readonly ok: false; readonly code: 'lease_lost'; readonly task: TaskRecord };

/** What came of a worker's report. */
export type LeaseAnswer = LeaseRefusal | { readonly ok: true; readonly task: TaskRecord };

/** The task that a worker holds, or why it holds none. */
export function heldTask({ tasks }: Tables, { taskId, token }: TaskLease): LeaseAnswer {
  const task = tasks.byId(taskId);
  if (task === undefined) return { ok: false, code: 'not_found' };
  if (hasTaskEnded(task)) return { ok: false, code: 'ended', task };
  const hash = token === undefined ? null : hashLeaseToken(token);
  if (task.status !== 'running' || task.leaseHash !== hash) {
    return { ok: false, code: 'lease_lost', task };
  }
  return { ok: true, task };
}
