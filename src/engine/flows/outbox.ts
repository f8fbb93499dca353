import { fromJsonText } from '../flow-model/fields.js';
import { OPERATOR } from '../flow-model/history-record.js';
import type { NotificationKey, NotificationRecord } from '../flow-model/notification-record.js';
import { isRecord } from '../support/text.js';
import { backoffMs } from '../support/time.js';
import { DEFAULT_TARGET } from './flow-policy.js';
import type { FlowStore, FlowTx } from './flow-store.js';
import { actingAs, addEntry } from './history.js';
import type { TakeDueOptions } from './store/notification-table.js';
import { changeTask } from './tasks/change-task.js';

const FIRST_DELAY_MS = 5000;
const LONGEST_DELAY_MS = 600_000;
/** Attempts over about half an hour. */
const MAX_ATTEMPTS = 10;

/** Notifications to deliver; each was stored in the transaction of the change it announces. */
export function notificationOutbox(store: FlowStore) {
  return {
    /**
     * Takes what is due for a target, exclusively until the hold ends. Whoever takes notifications and dies leaves
     * them to be taken again under the same ids. Each must be settled with one of the next three.
     */
    takeDue: (options: TakeDueOptions) => store.write((tx) => takeDue(tx, options), 'anything'),
    /** @returns false if it was settled before */
    markDelivered: (key: NotificationKey) =>
      store.write((tx) => settle(tx, key, 'delivered', null)),
    /** Schedules another attempt, or gives up after ten or when `permanent`. */
    markFailed: (key: NotificationKey, failure: DeliveryFailure) =>
      store.write((tx) => markFailed(tx, key, failure)),
    /** Gives back what was taken and not tried to the end; it comes before later ones of its flow again. */
    release: (taken: readonly NotificationRecord[]) => store.write((tx) => release(tx, taken)),
    /** When the next one of each target is due, epoch milliseconds; targets with nothing left are missing. */
    nextDueAt: (targets: readonly string[]) =>
      store.read(({ notifications }) => notifications.nextDueAt(targets)),
  };
}

interface DeliveryFailure {
  readonly error: string;
  readonly permanent?: boolean | undefined;
}

async function takeDue(
  tx: FlowTx,
  options: TakeDueOptions,
): Promise<readonly NotificationRecord[]> {
  const due = await tx.notifications.due(tx.nowMs, options);
  const taken = due.map((notification) => {
    const attempts = notification.attempts + 1;
    return { ...notification, attempts, nextAttemptAt: tx.nowMs + options.holdMs };
  });
  await Promise.all(taken.map((notification) => tx.notifications.update(notification)));
  return taken;
}

async function markFailed(
  tx: FlowTx,
  key: NotificationKey,
  { error, permanent }: DeliveryFailure,
): Promise<boolean> {
  const { notification } = await find(tx, key);
  if (notification === undefined || notification.nextAttemptAt === null) return false;
  const { attempts } = notification;
  if (permanent === true || attempts >= MAX_ATTEMPTS) return settle(tx, key, 'failed', error);
  const nextAttemptAt = tx.nowMs + backoffMs(attempts, FIRST_DELAY_MS, LONGEST_DELAY_MS);
  await tx.notifications.update({ ...notification, nextAttemptAt, lastError: error });
  return true;
}

async function release(tx: FlowTx, taken: readonly NotificationRecord[]): Promise<void> {
  for (const { attempts, ...key } of taken) {
    const { notification } = await find(tx, key);
    // Otherwise somebody else has it.
    if (notification?.attempts !== attempts || notification.nextAttemptAt === null) continue;
    const { createdAt } = notification;
    await tx.notifications.update({
      ...notification,
      attempts: attempts - 1,
      nextAttemptAt: createdAt,
    });
  }
}

/** One that is settled already stays as it is. @returns whether it was not */
export async function settle(
  tx: FlowTx,
  key: NotificationKey,
  outcome: 'delivered' | 'failed',
  lastError: string | null,
): Promise<boolean> {
  const { notification, others } = await find(tx, key);
  if (notification === undefined || notification.nextAttemptAt === null) return false;
  const settled = {
    ...notification,
    outcome,
    lastError,
    nextAttemptAt: null,
    settledAt: tx.nowMs,
  };
  await tx.notifications.update(settled);
  await recordOnTask(tx, settled, others);
  await recordOnFlow(tx, notification, outcome, lastError);
  return true;
}

/**
 * Starts the attempts for a notification again, for an operator.
 *
 * @param only leaves it alone if its outcome is another one by now
 * @returns undefined if it was left alone
 */
export async function deliverAgain(
  tx: FlowTx,
  key: NotificationKey,
  only?: NotificationRecord['outcome'],
): Promise<NotificationRecord | undefined> {
  const { notification, others } = await find(tx, key);
  if (notification === undefined || notification.outcome === 'delivered') return undefined;
  if (only !== undefined && notification.outcome !== only) return undefined;
  const restarted = {
    ...notification,
    outcome: 'pending' as const,
    attempts: 0,
    retries: notification.retries + 1,
    nextAttemptAt: tx.nowMs,
    settledAt: null,
  };
  await tx.notifications.update(restarted);
  tx.changes.push({ type: 'notification' });
  await recordOnTask(tx, restarted, others);
  await recordOnFlow(actingAs(tx, OPERATOR), restarted, 'retried', null);
  return restarted;
}

/** The history of a flow records what became of its notifications. */
async function recordOnFlow(
  tx: FlowTx,
  { flowId, taskId, target, kind }: NotificationRecord,
  what: 'delivered' | 'failed' | 'retried',
  error: string | null,
): Promise<void> {
  const flow = await tx.flows.byId(flowId);
  if (flow === undefined) return;
  const text = error ?? kind;
  const withTarget = target === DEFAULT_TARGET ? text : `${target}: ${text}`;
  addEntry(tx, { flowSeq: flow.seq, event: `notification.${what}`, taskId, note: withTarget });
}

/** A notification for one target, and the same for others. */
async function find({ notifications }: FlowTx, { notificationId, target }: NotificationKey) {
  const all = await notifications.ofEvent(notificationId);
  return {
    notification: all.find((one) => one.target === target),
    others: all.filter((one) => one.target !== target),
  };
}

/**
 * A task records what became of the notifications of its end, unless it was started again since: failed if one
 * target did not get it, delivered when all did.
 */
async function recordOnTask(
  tx: FlowTx,
  { kind, taskId, outcome, payload }: NotificationRecord,
  others: readonly NotificationRecord[],
): Promise<void> {
  if (kind !== 'task.ended' || taskId === null) return;
  const outcomes = [outcome, ...others.map((other) => other.outcome)];
  const deliveryStatus = (['failed', 'pending', 'delivered'] as const).find((status) =>
    outcomes.includes(status),
  );
  const task = await tx.tasks.byId(taskId);
  if (task === undefined || deliveryStatus === undefined) return;
  if (task.endedAt === null || task.endedAt !== endIn(payload)) return;
  if (task.deliveryStatus === deliveryStatus) return;
  await changeTask(tx, task, { deliveryStatus });
}

/** When the task of a notification ended: one that is retried ends again. */
function endIn(payload: string): unknown {
  const document = fromJsonText(payload);
  const task = isRecord(document) ? document['task'] : undefined;
  return isRecord(task) ? task['endedAt'] : undefined;
}
