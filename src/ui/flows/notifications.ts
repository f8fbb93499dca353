import type { NotificationRecord } from '../../engine/flow-model/notification-record.js';
import type { NotificationRetryOutput, Page } from '../../engine/flows/index.js';
import { formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style, View } from '../style.js';
import { type Field, fieldLines, limitNote, renderTable, right } from '../table.js';
import { agoWords, moment } from './details.js';
import { ID_CHARS } from './rows.js';

const COLUMNS = [
  right('number'),
  'outcome',
  right('tries'),
  'target',
  'event',
  'flow',
  'created',
  'error',
];

/** Notifications as a table, newest first. */
export function renderNotificationList(
  { entries, total }: Page<NotificationRecord>,
  { style, nowMs }: View,
): string {
  if (total === 0) return 'no notifications\n';
  const rows = entries.map((one) => [
    String(one.seq),
    outcomePaint(one.outcome, style)(one.outcome),
    String(one.attempts),
    safeLine(one.target),
    one.kind,
    one.flowId.slice(0, ID_CHARS),
    formatRelativeTime(one.createdAt, nowMs),
    safeLine(one.lastError ?? ''),
  ]);
  const counts = { listed: entries.length, total, noun: 'notification' };
  return renderTable(COLUMNS, rows, { style }) + limitNote(counts, style);
}

/** All fields of a notification, and its content. */
export function renderNotification(one: NotificationRecord, { style, nowMs }: View): string {
  const rows: readonly Field[] = [
    ['outcome', outcomePaint(one.outcome, style)(one.outcome)],
    ['target', safeLine(one.target)],
    ['event', one.kind],
    ['id', safeLine(one.notificationId)],
    ['flow', one.flowId],
    ['task', one.taskId],
    ['session', safeLine(one.ownerKey)],
    ['attempts', String(one.attempts)],
    ['retries', one.retries === 0 ? null : String(one.retries)],
    ['error', one.lastError === null ? null : safeLine(one.lastError)],
    ['created', agoWords(one.createdAt, nowMs)],
    ['settled', agoWords(one.settledAt, nowMs)],
    ['next attempt', moment(one.nextAttemptAt)],
    ['content', safeLine(one.payload)],
  ];
  return `${[style.bold(`notification ${one.seq}`), ...fieldLines(rows, style)].join('\n')}\n`;
}

/** What is retried, one line each. */
export function renderRetried(
  { retried, unknownTargets, dryRun }: Omit<NotificationRetryOutput, 'warnings'>,
  { style }: View,
): string {
  const lines = retried.map(
    ({ number, kind, target }) => `notification ${number}: ${kind} for ${safeLine(target)}`,
  );
  const what = formatCountOf(retried.length, 'notification');
  const left =
    unknownTargets === 0
      ? []
      : [
          style.warning(
            `${formatCountOf(unknownTargets, 'notification')} left: the target is not configured`,
          ),
        ];
  const end = dryRun ? `${what} would be retried` : `${what} will be delivered again`;
  return `${[...lines, end, ...left].join('\n')}\n`;
}

function outcomePaint(outcome: NotificationRecord['outcome'], style: Style): Paint {
  return { delivered: style.ok, failed: style.fault, pending: style.warning }[outcome];
}
