import { MS_PER_DAY } from '../support/time.js';
import type { FlowStore } from './flow-store.js';
import { finishCancelling } from './tasks/change-task.js';
import { takeBackExpired } from './tasks/claim-task.js';
import type { Work } from './work.js';

/** How long a controller has to end a flow after its cancellation was requested. */
export const CANCEL_GRACE_MS = 5 * 60_000;
/** How long settled notifications are kept for inspection. */
const NOTIFICATION_KEEP_MS = MS_PER_DAY;
/** Rows per transaction, so that nobody waits long. */
const BATCH = 200;

/** Takes back tasks of dead workers, finishes cancellations, deletes what has expired. */
export async function sweep(store: FlowStore) {
  const taken = { requeued: 0, lost: 0, cancelled: 0 };
  let cancelledFlows = 0;
  await repeat(async () => {
    const now = await store.write(takeBackExpired, 'anything');
    taken.requeued += now.requeued;
    taken.lost += now.lost;
    taken.cancelled += now.cancelled;
    return now.requeued + now.lost + now.cancelled;
  });
  await repeat(async () => {
    const ended = await store.write(finishCancelled, 'anything');
    cancelledFlows += ended;
    return ended;
  });
  await repeat(() =>
    store.write(({ tasks, policy }) => tasks.stampCleanup(policy.retentionMs, BATCH), 'anything'),
  );
  const pruned = await prune(store);
  await repeat(() => store.write(({ answers, nowMs }) => answers.prune(nowMs, BATCH), 'anything'));
  await repeat(() =>
    store.write(
      ({ notifications, nowMs }) => notifications.prune(nowMs - NOTIFICATION_KEEP_MS, BATCH),
      'anything',
    ),
  );
  await repeat(() =>
    store.write(({ history, nowMs }) => history.trim(nowMs - MS_PER_DAY, BATCH), 'anything'),
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
 * Deletes flows that ended long ago, with their tasks, and such tasks of other flows.
 *
 * @param keepMs how long to keep them; as configured when left out
 */
export async function prune(store: FlowStore, keepMs: number = store.policy.retentionMs) {
  let flows = 0;
  let tasks = 0;
  await repeat(async () => {
    const gone = await store.write(
      (work) => work.flows.prune(work.nowMs - keepMs, BATCH),
      'anything',
    );
    flows += gone.flows;
    tasks += gone.tasks;
    return gone.flows;
  });
  await repeat(async () => {
    const gone = await store.write(
      // A task records until when it is kept, by the retention at the time it ended.
      (work) => work.tasks.prune(work.nowMs + work.policy.retentionMs - keepMs, BATCH),
      'anything',
    );
    tasks += gone;
    return gone;
  });
  return { flows, tasks };
}

async function finishCancelled(work: Work): Promise<number> {
  const flows = await work.flows.cancelledWithoutTasks(work.nowMs - CANCEL_GRACE_MS, BATCH);
  for (const flow of flows) await finishCancelling(work, flow.seq);
  return flows.length;
}

/** Repeats a step until it has nothing left to do. */
async function repeat(step: () => Promise<number>): Promise<void> {
  while ((await step()) > 0);
}
