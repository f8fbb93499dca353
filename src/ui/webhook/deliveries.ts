import { formatBytes, formatDuration, formatRelativeTime } from '../../engine/support/format.js';
import type { Delivery, DeliveryDetails } from '../../engine/webhooks/index.js';
import type { ListColumn } from '../components/list.js';
import { agoWords } from '../flows/details.js';
import { ID_CHARS } from '../flows/rows.js';
import { indentJson, safeLine, safeLines } from '../safe-text.js';
import type { Paint, Style, View } from '../style.js';
import { type Field, limitNote, renderFields, renderTable } from '../table.js';

/** Deliveries as a table, newest first. */
export function renderDeliveries(
  deliveries: readonly Delivery[],
  total: number,
  { style, nowMs, columns }: View,
): string {
  if (total === 0) return 'no deliveries\n';
  const shown = deliveryColumns('when', nowMs, style);
  const rows = deliveries.map((delivery) =>
    shown.map(({ cell, paint = (text) => text }) => paint(cell({ delivery }), { delivery })),
  );
  // Commands take the ID, so it is never left out.
  const titles = ['delivery', ...shown.slice(1)];
  const counts = { listed: deliveries.length, total, noun: 'delivery', plural: 'deliveries' };
  return renderTable(titles, rows, { style, columns }) + limitNote(counts, style);
}

/** The columns of a list of deliveries. @param received title of the time at which each was received */
export function deliveryColumns(
  received: string,
  nowMs: number,
  style: Style,
): readonly ListColumn<{ readonly delivery: Delivery }>[] {
  return [
    { title: 'delivery', cell: ({ delivery }) => delivery.id, dropOrder: 3 },
    {
      title: received,
      cell: ({ delivery }) => formatRelativeTime(delivery.atMs, nowMs),
      dropOrder: 4,
    },
    { title: 'route', cell: ({ delivery }) => safeLine(delivery.route) },
    {
      title: 'status',
      cell: ({ delivery }) => String(delivery.status),
      paint: (text, { delivery }) => statusPaint(delivery.status, style)(text),
    },
    { title: 'event', cell: ({ delivery }) => safeLine(delivery.event ?? ''), dropOrder: 2 },
    { title: 'from', cell: ({ delivery }) => fromWords(delivery), dropOrder: 1 },
    { title: 'what', cell: ({ delivery }) => outcomeWords(delivery) },
  ];
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
function fromWords({ clientIp, replayOf }: Pick<Delivery, 'clientIp' | 'replayOf'>): string {
  return replayOf === null ? (clientIp ?? 'unknown') : 'replay';
}

/** The fields of a delivery; they may be untrusted. */
export function deliveryFields(
  delivery: DeliveryDetails,
  { style, nowMs }: Pick<View, 'nowMs' | 'style'>,
): readonly Field[] {
  const { atMs, route, status, code, reason, action, flowId, event } = delivery;
  const { deliveryId, requestId, ms, replayOf, isVerified, headers, bodyState, bodyBytes } =
    delivery;
  const from = replayOf === null ? fromWords(delivery) : 'an operator';
  return [
    ['received', agoWords(atMs, nowMs)],
    ['route', route],
    ['event', event],
    ['delivery id', deliveryId],
    ['replay of', replayOf],
    ['from', `${from}${isVerified ? '' : ', not verified'}`],
    ['request id', requestId],
    [
      'status',
      `${status}${code === null ? '' : ` ${code}`}, in ${formatDuration(ms)}`,
      statusPaint(status, style),
    ],
    ['reason', reason],
    ['action', action],
    ['flow', flowId],
    ...Object.entries(headers),
    // The size of an unverified delivery is unknown.
    ['body', isVerified ? `${formatBytes(bodyBytes)}${BODY_WORDS[bodyState]}` : 'not kept'],
  ];
}

/** All fields of a delivery, and its body. */
export function renderDelivery(delivery: DeliveryDetails, options: View): string {
  const { style } = options;
  const fields = renderFields(deliveryFields(delivery, options), style);
  const body = delivery.body === '' ? '' : `\n${safeLines(indentJson(delivery.body))}\n`;
  return `${style.bold(`delivery ${delivery.id}`)}\n${fields}${body}`;
}

const BODY_WORDS: Readonly<Record<DeliveryDetails['bodyState'], string>> = {
  whole: '',
  cut: ', cut',
  masked: ', secrets masked',
  binary: ', not text',
  none: ', not kept',
};

/** The result of a delivery: its action and flow, or why it was not accepted. */
export function outcomeWords({ code, reason, action, flowId, replayOf }: Delivery): string {
  const outcome = code === null ? (action ?? '') : `${code}: ${reason ?? ''}`;
  const flow = flowId === null ? '' : ` ${flowId.slice(0, ID_CHARS)}`;
  const replay = replayOf === null ? '' : `, replay of ${replayOf}`;
  return safeLine(`${outcome}${flow}${replay}`);
}

/** The colour of a status; it only repeats the number. */
function statusPaint(status: number, style: Style): Paint {
  if (status >= 500) return style.fault;
  return status >= 400 ? style.warning : style.ok;
}
