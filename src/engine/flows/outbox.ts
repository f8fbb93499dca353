import { doublingRestMs } from '../support/time.js';
import type { FlowStore, TakeDueOptions } from './flow-store.js';
import { note } from './history.js';
import type { NotificationRecord } from './notification-record.js';
import type { Work } from './work.js';

const FIRST_REST_MS = 5000;
const LONGEST_REST_MS = 600_000;
/** Attempts over about half an hour. */
const MAX_ATTEMPTS = 10;

/** Notifications to deliver; each was stored in the transaction of the change it announces. */
export function notificationOutbox(store: FlowStore) {
  return {
    /**
     * Takes what is due, exclusively until the hold ends. Whoever takes notifications and dies leaves
     * them to be taken again under the same ids. Each must be settled with one of the next two.
     */
    takeDue: (options: TakeDueOptions) => store.write((work) => takeDue(work, options), 'anything'),
    /** @returns false if it was settled before */
    markDelivered: (id: string) => store.write((work) => settle(work, id, 'delivered', null)),
    /** Schedules another attempt, or gives up after ten or when `permanent`. */
    markFailed: (id: string, failure: DeliveryFailure) =>
      store.write((work) => markFailed(work, id, failure)),
    /** When the next one is due, epoch milliseconds; undefined when nothing is left. */
    nextDueAt: () => store.read(({ notifications }) => notifications.nextDueAt()),
    /** How many are not settled. */
    pending: () => store.read(({ notifications }) => notifications.pending()),
  };
}

interface DeliveryFailure {
  readonly error: string;
  readonly permanent?: boolean | undefined;
}

async function takeDue(
  work: Work,
  options: TakeDueOptions,
): Promise<readonly NotificationRecord[]> {
  const due = await work.notifications.due(work.nowMs, options);
  const taken = due.map((notification) => {
    const attempts = notification.attempts + 1;
    return { ...notification, attempts, nextAttemptAt: work.nowMs + options.holdMs };
  });
  await Promise.all(taken.map((notification) => work.notifications.update(notification)));
  return taken;
}

async function markFailed(
  work: Work,
  id: string,
  { error, permanent }: DeliveryFailure,
): Promise<boolean> {
  const notification = await work.notifications.byId(id);
  if (notification === undefined || notification.nextAttemptAt === null) return false;
  const { attempts } = notification;
  if (permanent === true || attempts >= MAX_ATTEMPTS) return settle(work, id, 'failed', error);
  const nextAttemptAt = work.nowMs + doublingRestMs(attempts, FIRST_REST_MS, LONGEST_REST_MS);
  await work.notifications.update({ ...notification, nextAttemptAt, lastError: error });
  return true;
}

async function settle(
  work: Work,
  id: string,
  outcome: 'delivered' | 'failed',
  lastError: string | null,
): Promise<boolean> {
  const notification = await work.notifications.byId(id);
  if (notification === undefined || notification.nextAttemptAt === null) return false;
  const settled = { outcome, lastError, nextAttemptAt: null, settledAt: work.nowMs };
  await work.notifications.update({ ...notification, ...settled });
  if (notification.kind === 'task.ended') await noteOnTask(work, notification, outcome);
  const flow = await work.flows.byId(notification.flowId);
  if (flow !== undefined) {
    const { taskId } = notification;
    const event = `notification.${outcome}` as const;
    note(work, { flowSeq: flow.seq, event, taskId, note: lastError ?? notification.kind });
  }
  return true;
}

/** A task records what became of the message about its end, unless it was started again meanwhile. */
async function noteOnTask(
  work: Work,
  { taskId }: NotificationRecord,
  outcome: 'delivered' | 'failed',
): Promise<void> {
  const task = taskId === null ? undefined : await work.tasks.byId(taskId);
  if (task === undefined || task.endedAt === null) return;
  const after = { ...task, revision: task.revision + 1, deliveryStatus: outcome };
  await work.tasks.update(after);
  work.changes.push({ type: 'task', task: after });
}
