import { formatBytes, formatDuration, formatRelativeTime } from '../../engine/support/format.js';
import type { Delivery, DeliveryDetails } from '../../engine/webhooks/index.js';
import { ID_CHARS } from '../flows/rows.js';
import { indentJson, safeLine, safeLines } from '../safe-text.js';
import type { Paint, Style, View } from '../style.js';
import { fieldLines, limitNote, renderTable } from '../table.js';

const COLUMNS = [
  'delivery',
  { title: 'when', dropOrder: 3 },
  'route',
  'status',
  { title: 'event', dropOrder: 2 },
  { title: 'from', dropOrder: 1 },
  'what',
];
const STATUS_COLUMN = COLUMNS.indexOf('status');

/** Deliveries as a table, newest first. */
export function renderDeliveries(
  deliveries: readonly Delivery[],
  total: number,
  { style, nowMs, columns }: View,
): string {
  if (total === 0) return 'no deliveries\n';
  const rows = deliveries.map((delivery) => {
    const paint = statusPaint(delivery.status, style);
    return cellsOf(delivery, nowMs).map((cell, at) => (at === STATUS_COLUMN ? paint(cell) : cell));
  });
  const counts = { listed: deliveries.length, total, noun: 'delivery', plural: 'deliveries' };
  return renderTable(COLUMNS, rows, { style, columns }) + limitNote(counts, style);
}

/** A delivery as one line, for following. */
export function deliveryLine(delivery: Delivery, style: Style): string {
  const { id, atMs, route, status, event } = delivery;
  return [
    style.dim(new Date(atMs).toISOString()),
    id,
    statusPaint(status, style)(String(status)),
    safeLine(route),
    ...(event === null ? [] : [safeLine(event)]),
    outcomeWords(delivery),
  ].join('  ');
}

/** Who sent a delivery. The address of a connection that was reset at once is not known. */
export function fromWords({ clientIp, replayOf }: Pick<Delivery, 'clientIp' | 'replayOf'>): string {
  return replayOf === null ? (clientIp ?? 'unknown') : 'replay';
}

/** The fields of a delivery; they may be untrusted. */
export function deliveryFields(
  delivery: DeliveryDetails,
  nowMs: number,
): readonly (readonly [name: string, value: string])[] {
  const { atMs, route, status, code, reason, action, flowId, event } = delivery;
  const { deliveryId, requestId, ms, replayOf, isVerified, headers, bodyState, bodyBytes } =
    delivery;
  const from = replayOf === null ? fromWords(delivery) : 'an operator';
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    ['received', `${formatRelativeTime(atMs, nowMs)}, ${new Date(atMs).toISOString()}`],
    ['route', route],
    ['event', event],
    ['delivery id', deliveryId],
    ['replay of', replayOf],
    ['from', `${from}${isVerified ? '' : ', not verified'}`],
    ['request id', requestId],
    ['status', `${status}${code === null ? '' : ` ${code}`}, in ${formatDuration(ms)}`],
    ['reason', reason],
    ['action', action],
    ['flow', flowId],
    ...Object.entries(headers),
    // The size of an unverified delivery is unknown.
    ['body', isVerified ? `${formatBytes(bodyBytes)}${BODY_WORDS[bodyState]}` : 'not kept'],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

/** All fields of a delivery, and its body. */
export function renderDelivery(delivery: DeliveryDetails, options: View): string {
  const { style, nowMs } = options;
  const painted = deliveryFields(delivery, nowMs).map(([name, value]) => {
    const paint = name === 'status' ? statusPaint(delivery.status, style) : style.plain;
    return [safeLine(name), paint(safeLine(value))] as const;
  });
  const fields = fieldLines(painted, style).join('\n');
  const body = delivery.body === '' ? '' : `\n${safeLines(indentJson(delivery.body))}\n`;
  return `${style.bold(`delivery ${delivery.id}`)}\n${fields}\n${body}`;
}

const BODY_WORDS: Readonly<Record<DeliveryDetails['bodyState'], string>> = {
  whole: '',
  cut: ', cut',
  masked: ', secrets masked',
  binary: ', not text',
  none: ', not kept',
};

function cellsOf(delivery: Delivery, nowMs: number): readonly string[] {
  const { id, atMs, route, status, event } = delivery;
  return [
    id,
    formatRelativeTime(atMs, nowMs),
    safeLine(route),
    String(status),
    safeLine(event ?? ''),
    fromWords(delivery),
    outcomeWords(delivery),
  ];
}

/** The result of a delivery: its action and flow, or why it was not accepted. */
export function outcomeWords({ code, reason, action, flowId, replayOf }: Delivery): string {
  const outcome = code === null ? (action ?? '') : `${code}: ${reason ?? ''}`;
  const flow = flowId === null ? '' : ` ${flowId.slice(0, ID_CHARS)}`;
  const replay = replayOf === null ? '' : `, replay of ${replayOf}`;
  return safeLine(`${outcome}${flow}${replay}`);
}

/** The colour of a status; it only repeats the number. */
export function statusPaint(status: number, style: Style): Paint {
  if (status >= 500) return style.fault;
  return status >= 400 ? style.warning : style.ok;
}
