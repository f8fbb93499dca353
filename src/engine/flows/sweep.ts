import { ACTIVE_FLOW_STATUSES } from '../flow-model/flow-record.js';
import { letOthersRun } from '../support/async.js';
import { MOST_AHEAD_MS, MS_PER_DAY } from '../support/time.js';
import type { FlowStore, FlowTx } from './flow-store.js';
import { settle } from './outbox.js';
import { type HistoryLength, MOST_KEPT } from './store/flow-table.js';
import type { Tables } from './store/tables.js';
import { changeTask, finishCancelling } from './tasks/change-task.js';
import { takeBackExpired } from './tasks/task-lease.js';

/** How long a controller has to end a flow after its cancellation was requested. */
export const CANCEL_GRACE_MS = 5 * 60_000;
/** How long delivered notifications are kept for inspection. */
const DELIVERED_KEEP_MS = MS_PER_DAY;
/** How long those that were given up can be retried. */
const FAILED_KEEP_MS = 7 * MS_PER_DAY;
/** Other hosts of a shared store may learn of a target later or earlier than this one. */
const UNCLAIMED_MS = 10 * 60_000;
/** Rows per transaction, so that nobody waits long. */
const BATCH = 200;
/** Rows per query that counts: a few milliseconds. */
const PAGE = 1000;

/** Takes back tasks of dead workers, finishes cancellations, deletes what has expired. */
export async function sweep(store: FlowStore) {
  const repeatWrite = (step: (tx: FlowTx) => Promise<number>) =>
    repeat(() => store.write(step, 'anything'));
  await repeatWrite(bringForward);
  const total = { requeued: 0, lost: 0, cancelled: 0 };
  await repeat(async () => {
    const counts = await store.write(takeBackExpired, 'anything');
    total.requeued += counts.requeued;
    total.lost += counts.lost;
    total.cancelled += counts.cancelled;
    return counts.requeued + counts.lost + counts.cancelled;
  });
  const cancelledFlows = await repeatWrite(finishCancelled);
  await repeatWrite(({ tasks, policy }) => tasks.stampCleanup(policy.retentionMs, BATCH));
  const pruned = await prune(store);
  await repeatWrite(({ answers, nowMs }) => answers.prune(nowMs, BATCH));
  const undeliverable = await repeatWrite(settleUnclaimed);
  await repeatWrite(({ notifications, nowMs }) => {
    const before = { deliveredMs: nowMs - DELIVERED_KEEP_MS, failedMs: nowMs - FAILED_KEEP_MS };
    return notifications.prune(before, BATCH);
  });
  await trimHistories(store);
  return {
    requeued: total.requeued,
    lost: total.lost,
    cancelledTasks: total.cancelled,
    cancelledFlows,
    prunedFlows: pruned.flows,
    prunedTasks: pruned.tasks,
    undeliverable,
  };
}

/**
 * Deletes flows that ended long ago, with their tasks, and such tasks of other flows.
 *
 * @param keepMs how long to keep them; as configured when left out
 */
export async function prune(store: FlowStore, keepMs?: number) {
  const keepFlowsMs = keepMs ?? store.policy.retentionMs;
  let tasksOfFlows = 0;
  const flows = await repeat(async () => {
    const deleted = await store.write(
      (tx) => tx.flows.prune(tx.nowMs - keepFlowsMs, BATCH),
      'anything',
    );
    tasksOfFlows += deleted.tasks;
    return deleted.flows;
  });
  const otherTasks = await repeat(() =>
    store.write(
      ({ tasks, nowMs }) =>
        // A task records until when it is kept, by the retention at the time it ended.
        keepMs === undefined
          ? tasks.prune('cleanup_after', nowMs, BATCH)
          : tasks.prune('ended_at', nowMs - keepMs, BATCH),
      'anything',
    ),
  );
  return { flows, tasks: tasksOfFlows + otherTasks };
}

/**
 * Corrects the times of what waits for later, if the clock was ahead when they were stored: retries and notifications,
 * which wait for minutes, are due now. Leases begin now, so that a worker which still runs keeps its own.
 */
async function bringForward(tx: FlowTx): Promise<number> {
  const { tasks, notifications, nowMs } = tx;
  const aheadMs = nowMs + MOST_AHEAD_MS;
  const retried = await tasks.retriedAfter(aheadMs, BATCH);
  const leased = await tasks.leasedAfter(aheadMs, BATCH);
  for (const task of [...retried, ...leased]) {
    const { leaseExpiresAt, lastEventAt } = task;
    await changeTask(tx, task, {
      nextRunAt: null,
      leaseExpiresAt:
        leaseExpiresAt === null ? null : nowMs + leaseExpiresAt - (lastEventAt ?? nowMs),
      lastEventAt: nowMs,
    });
  }
  const notified = await notifications.bringForward(aheadMs, nowMs, BATCH);
  return retried.length + leased.length + notified;
}

async function finishCancelled(tx: FlowTx): Promise<number> {
  const { nowMs } = tx;
  // What was requested far ahead of now was requested before the clock was set back.
  const flows = await tx.flows.cancelledWithoutTasks(
    nowMs - CANCEL_GRACE_MS,
    nowMs + MOST_AHEAD_MS,
    BATCH,
  );
  for (const flow of flows) await finishCancelling(tx, flow.seq);
  return flows.length;
}

/** Gives up on notifications whose target was removed from the configuration. */
async function settleUnclaimed(tx: FlowTx): Promise<number> {
  const { notifications, nowMs, policy } = tx;
  const ids = policy.targets.map(({ id }) => id);
  const unclaimed = await notifications.unclaimed(ids, nowMs - UNCLAIMED_MS, BATCH);
  for (const notification of unclaimed) {
    const { target } = notification;
    await settle(tx, notification, 'failed', `the target ${target} is no longer configured`);
  }
  return unclaimed.length;
}

/**
 * Shortens the histories that are too long, of flows that can have got entries since the last sweeps. They are counted
 * in pages, because SQLite blocks the process while it counts.
 */
async function trimHistories(store: FlowStore): Promise<void> {
  const sinceMs = store.now() - MS_PER_DAY;
  for (const status of ACTIVE_FLOW_STATUSES) {
    await trimPages(store, ({ history }, last) => history.lengthsOf(status, last?.seq ?? 0, PAGE));
  }
  await trimPages(store, ({ history }, last) =>
    history.lengthsOfEnded(last?.endedAt ?? sinceMs, last?.seq ?? 0, PAGE),
  );
}

/** @param pageAfter reads the page after the last one of the page before */
async function trimPages(
  store: FlowStore,
  pageAfter: (tables: Tables, last: HistoryLength | undefined) => Promise<readonly HistoryLength[]>,
): Promise<void> {
  let last: HistoryLength | undefined;
  do {
    const page = await store.read((tables) => pageAfter(tables, last));
    for (const { seq, entries } of page) {
      if (entries > MOST_KEPT) await store.write(({ history }) => history.trim(seq), 'anything');
    }
    last = page.length < PAGE ? undefined : page.at(-1);
    // Requests go first.
    await letOthersRun();
  } while (last !== undefined);
}

/** Repeats a step until it has nothing left to do. @returns how much it did in total */
async function repeat(step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await step();
    if (count <= 0) return total;
    total += count;
  }
}
