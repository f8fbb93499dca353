import type { FlowStore } from './flow-store.js';
import { finishCancelling } from './tasks/end-task.js';
import { takeBackExpired } from './tasks/take-back.js';
import type { Work } from './work.js';

/** How long a controller may take to end a flow that it was asked to cancel. */
export const CANCEL_GRACE_MS = 5 * 60_000;
/** Settled notifications are kept this long, to look back at. */
const NOTIFICATION_KEEP_MS = 24 * 3_600_000;
/** So many rows one transaction deletes: nobody waits for long. */
const MOST_AT_ONCE = 200;

/** What tidying up did. */
export interface SweepReport {
  /** Tasks taken from workers that are gone, and put back into the queue. */
  readonly requeued: number;
  /** Tasks taken from workers that are gone, and given up. */
  readonly lost: number;
  /** Tasks that were to be cancelled, and whose worker is gone. */
  readonly cancelledTasks: number;
  /** Flows that were to be cancelled and that nobody ended. */
  readonly cancelledFlows: number;
  readonly prunedFlows: number;
  readonly prunedTasks: number;
}

/** Takes tasks back from workers that are gone, ends what is to be cancelled, deletes what is old. */
export async function sweep(store: FlowStore): Promise<SweepReport> {
  const taken = { requeued: 0, lost: 0, cancelled: 0 };
  let cancelledFlows = 0;
  await repeat(async () => {
    const now = await store.write(takeBackExpired);
    taken.requeued += now.requeued;
    taken.lost += now.lost;
    taken.cancelled += now.cancelled;
    return now.requeued + now.lost + now.cancelled;
  });
  await repeat(async () => {
    const ended = await store.write(finishCancelled);
    cancelledFlows += ended;
    return ended;
  });
  await repeat(() =>
    store.write((work) => work.tasks.stampCleanup(work.policy.retentionMs, MOST_AT_ONCE)),
  );
  const pruned = await prune(store);
  await repeat(() => store.write((work) => work.answers.prune(work.nowMs, MOST_AT_ONCE)));
  await repeat(() =>
    store.write((work) =>
      work.notifications.prune(work.nowMs - NOTIFICATION_KEEP_MS, MOST_AT_ONCE),
    ),
  );
  return {
    requeued: taken.requeued,
    lost: taken.lost,
    cancelledTasks: taken.cancelled,
    cancelledFlows,
    prunedFlows: pruned.flows,
    prunedTasks: pruned.tasks,
  };
}

/**
 * Deletes flows that ended long ago, with their tasks, and tasks that did.
 *
 * @param keepMs how long they are kept; the configuration's time when left out
 */
export async function prune(
  store: FlowStore,
  keepMs: number = store.policy.retentionMs,
): Promise<{ readonly flows: number; readonly tasks: number }> {
  let flows = 0;
  let tasks = 0;
  await repeat(async () => {
    const gone = await store.write((work) => work.flows.prune(work.nowMs - keepMs, MOST_AT_ONCE));
    flows += gone.flows;
    tasks += gone.tasks;
    return gone.flows;
  });
  await repeat(async () => {
    const gone = await store.write((work) => {
      // A task says itself until when it is kept, by the time that was configured when it ended.
      const until = work.nowMs + work.policy.retentionMs - keepMs;
      return work.tasks.prune(until, MOST_AT_ONCE);
    });
    tasks += gone;
    return gone;
  });
  return { flows, tasks };
}

function finishCancelled(work: Work): number {
  const before = work.nowMs - CANCEL_GRACE_MS;
  const flows = work.flows.cancelledWithoutTasks(before, MOST_AT_ONCE);
  for (const flow of flows) finishCancelling(work, flow.seq);
  return flows.length;
}

/** Again and again, until nothing is left to do. */
async function repeat(step: () => Promise<number>): Promise<void> {
  while ((await step()) > 0);
}
