import type { Work } from '../work.js';
import type { NotificationRecord } from './notification-record.js';

const FIRST_REST_MS = 5000;
const LONGEST_REST_MS = 600_000;
/** About half an hour of tries. */
const MOST_ATTEMPTS = 10;

/** How long a notification rests after a try that failed; doubles with every try. */
function deliveryRestMs(attempts: number): number {
  return Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.max(0, attempts - 1));
}

/**
 * Takes the notifications that are due. Nobody else gets them for the time of the hold: whoever took
 * them and died leaves them to be taken again, under the same ids.
 */
export function takeDue(
  work: Work,
  options: { readonly limit: number; readonly holdMs: number },
): readonly NotificationRecord[] {
  return work.notifications.due(work.nowMs, options.limit).map((due) => {
    const taken = {
      ...due,
      attempts: due.attempts + 1,
      nextAttemptAt: work.nowMs + options.holdMs,
    };
    work.notifications.update(taken);
    return taken;
  });
}

/** Settles a notification that has arrived. @returns whether it was still to be settled */
export function markDelivered(work: Work, notificationId: string): boolean {
  return settle(work, notificationId, 'delivered', null);
}

/**
 * Notes that a try failed. It is tried again after a rest, until it was tried often enough.
 *
 * @param permanent no further try can succeed
 */
export function markFailed(
  work: Work,
  notificationId: string,
  failure: { readonly error: string; readonly permanent?: boolean | undefined },
): boolean {
  const notification = work.notifications.byId(notificationId);
  if (notification === undefined || notification.nextAttemptAt === null) return false;
  if (failure.permanent === true || notification.attempts >= MOST_ATTEMPTS) {
    return settle(work, notificationId, 'failed', failure.error);
  }
  const nextAttemptAt = work.nowMs + deliveryRestMs(notification.attempts);
  work.notifications.update({ ...notification, nextAttemptAt, lastError: failure.error });
  return true;
}

function settle(
  work: Work,
  notificationId: string,
  outcome: 'delivered' | 'failed',
  lastError: string | null,
): boolean {
  const notification = work.notifications.byId(notificationId);
  if (notification === undefined || notification.nextAttemptAt === null) return false;
  work.notifications.update({
    ...notification,
    outcome,
    lastError,
    nextAttemptAt: null,
    settledAt: work.nowMs,
  });
  if (notification.kind === 'task.ended') noteOnTask(work, notification, outcome);
  return true;
}

/** A task says what became of the message about its end, unless it was begun again meanwhile. */
function noteOnTask(
  work: Work,
  { taskId }: NotificationRecord,
  outcome: 'delivered' | 'failed',
): void {
  const task = taskId === null ? undefined : work.tasks.byId(taskId);
  if (task === undefined || task.endedAt === null) return;
  const after = { ...task, revision: task.revision + 1, deliveryStatus: outcome };
  work.tasks.update(after);
  work.changes.push({ type: 'task', task: after });
}
