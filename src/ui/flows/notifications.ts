import type { NotificationRecord } from '../../engine/flow-model/notification-record.js';
import type { NotificationRetryOutput, Page } from '../../engine/flows/index.js';
import { formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style, View } from '../style.js';
import { type Field, fieldLines, limitNote, renderTable, right } from '../table.js';
import { agoWords, isoTime } from './details.js';
import { ID_CHARS } from './rows.js';

const COLUMNS = [
  right('number'),
  'outcome',
  { ...right('tries'), dropOrder: 3 },
  'target',
  { title: 'event', dropOrder: 4 },
  { title: 'flow', dropOrder: 1 },
  { title: 'created', dropOrder: 2 },
  'error',
];

/** Notifications as a table, newest first. */
export function renderNotificationList(
  { entries, total }: Page<NotificationRecord>,
  { style, nowMs, columns }: View,
): string {
  if (total === 0) return 'no notifications\n';
  const rows = entries.map((notification) => [
    String(notification.seq),
    outcomePaint(notification.outcome, style)(notification.outcome),
    String(notification.attempts),
    safeLine(notification.target),
    notification.kind,
    notification.flowId.slice(0, ID_CHARS),
    formatRelativeTime(notification.createdAt, nowMs),
    safeLine(notification.lastError ?? ''),
  ]);
  const counts = { listed: entries.length, total, noun: 'notification' };
  return renderTable(COLUMNS, rows, { style, columns }) + limitNote(counts, style);
}

/** All fields of a notification, and its content. */
export function renderNotification(
  notification: NotificationRecord,
  { style, nowMs }: View,
): string {
  const rows: readonly Field[] = [
    ['outcome', notification.outcome, outcomePaint(notification.outcome, style)],
    ['target', safeLine(notification.target)],
    ['event', notification.kind],
    ['id', safeLine(notification.notificationId)],
    ['flow', notification.flowId],
    ['task', notification.taskId],
    ['session', safeLine(notification.ownerKey)],
    ['attempts', String(notification.attempts)],
    ['retries', notification.retries === 0 ? null : String(notification.retries)],
    ['error', notification.lastError === null ? null : safeLine(notification.lastError)],
    ['created', agoWords(notification.createdAt, nowMs)],
    ['settled', agoWords(notification.settledAt, nowMs)],
    ['next attempt', isoTime(notification.nextAttemptAt)],
    ['content', safeLine(notification.payload)],
  ];
  return `${[style.bold(`notification ${notification.seq}`), ...fieldLines(rows, style)].join('\n')}\n`;
}

/** The retried notifications, one per line, and their count. */
export function renderRetries(
  { retried, unknownTargets, dryRun }: Omit<NotificationRetryOutput, 'warnings'>,
  { style }: View,
): string {
  const lines = retried.map(
    ({ number, kind, target }) => `notification ${number}: ${kind} for ${safeLine(target)}`,
  );
  const count = formatCountOf(retried.length, 'notification');
  const skipped =
    unknownTargets === 0
      ? []
      : [
          style.warning(
            `${formatCountOf(unknownTargets, 'notification')} left: the target is not configured`,
          ),
        ];
  const end = dryRun ? `${count} would be retried` : `${count} will be delivered again`;
  return `${[...lines, end, ...skipped].join('\n')}\n`;
}

function outcomePaint(outcome: NotificationRecord['outcome'], style: Style): Paint {
  return { delivered: style.ok, failed: style.fault, pending: style.warning }[outcome];
}
