import type { Work } from '../work.js';
import { CANCELLED_ERROR, endTask } from './end-task.js';
import { runAgainOr } from './run-again.js';

/** What stands in the record of a task whose worker is gone. */
const SILENT_ERROR = 'The worker stopped reporting.';

/** So many in one transaction. */
const MOST_AT_ONCE = 100;

/** How many tasks were taken from workers that are gone, by what became of them. */
export interface TakenBack {
  readonly requeued: number;
  readonly lost: number;
  readonly cancelled: number;
}

/** Takes tasks from workers that have not reported in time. */
export function takeBackExpired(work: Work): TakenBack {
  const counts = { requeued: 0, lost: 0, cancelled: 0 };
  for (const task of work.tasks.expired(work.nowMs, MOST_AT_ONCE)) {
    const lost = { status: 'lost', error: SILENT_ERROR } as const;
    const isCancelled = task.cancelRequestedAt !== null;
    const after =
      work.policy.orphans === 'requeue' && !isCancelled
        ? runAgainOr(work, task, lost)
        : endTask(work, task, isCancelled ? { status: 'cancelled', error: CANCELLED_ERROR } : lost);
    if (after.status === 'queued') counts.requeued += 1;
    else counts[isCancelled ? 'cancelled' : 'lost'] += 1;
  }
  return counts;
}
