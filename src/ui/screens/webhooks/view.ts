import type { FlowRecord } from '../../../engine/flow-model/flow-record.js';
import type { ServeState, ServiceSnapshot } from '../../../engine/serve/index.js';
import {
  formatCount,
  formatRelativeTime,
  formatShortCount,
} from '../../../engine/support/format.js';
import type { WebhooksSnapshot } from '../../../engine/webhooks/index.js';
import { sparkline } from '../../components/plot.js';
import { fitEnd, padEnd, padStart, spread, textWidth, wrapBehind } from '../../fit.js';
import { ID_CHARS, statusPaint } from '../../flows/rows.js';
import { safeLine } from '../../safe-text.js';
import { paintedMark, type Style, type View } from '../../style.js';
import { NO_ROUTES } from '../../webhook/routes.js';
import { retryWords } from '../serve/view.js';

/** The state of the screen of the webhook listener. */
export interface WebhooksScreenState {
  /** Undefined until the process has started. */
  readonly serve: ServeState | undefined;
  /** Undefined while no listener is running. */
  readonly webhooks: WebhooksSnapshot | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly isStopping: boolean;
  /** The listener belongs to another process and is only watched. */
  readonly isWatched: boolean;
}

const MAX_NAME = 24;
/** Two seconds per column, if there is room. */
const SPARK_COLUMNS = 30;
const RATE_COLUMNS = 9;
/** What the sparkline leaves for the last request: `400 invalid_request 59 min ago`. */
const LAST_COLUMNS = 30;

type Route = WebhooksSnapshot['routes'][number];

/** The listener, among what the process runs. */
export function serviceOf({ serve }: WebhooksScreenState): ServiceSnapshot | undefined {
  return serve?.services.find(({ name }) => name === 'webhooks');
}

/** A fact of its own at the right, because a title would be cut before its port. Empty while nothing listens. */
export function addressOf(state: WebhooksScreenState): string {
  const service = serviceOf(state);
  return service?.failure === null ? safeLine(service.url ?? '') : '';
}

/** What is wrong with the listener, what to do, and when it is started again. */
export function failureLines(
  state: WebhooksScreenState,
  style: Style,
  columns: number,
): readonly string[] {
  const service = serviceOf(state);
  if (service === undefined || service.failure === null) return [];
  const { message, hint } = service.failure;
  const reason = [message, ...retryWords(service, state.nowMs)].join(' · ');
  return [
    ...wrapBehind('✗ ', reason, columns, style.fault),
    ...(hint == null ? [] : wrapBehind('  → ', hint, columns, style.dim)),
  ];
}

/** The routes with their traffic. If not all fit, those with problems come first, then the busiest ones. */
export function routesLines(
  { webhooks, nowMs }: WebhooksScreenState,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const routes = webhooks?.routes ?? [];
  if (webhooks?.routes.length === 0) return [style.dim(fitEnd(NO_ROUTES, columns))];
  const nameColumns = Math.min(
    MAX_NAME,
    Math.max(0, ...routes.map(({ id }) => textWidth(safeLine(id)))),
    Math.max(6, Math.floor(columns / 4)),
  );
  const all = routes.flatMap((route) => routeLines(route, { nowMs, nameColumns, style, columns }));
  if (all.length <= room) return all;
  const sorted = routes.toSorted((a, b) => priorityOf(b) - priorityOf(a));
  const short = sorted.map(
    (route) => routeLines(route, { nowMs, nameColumns, style, columns })[0] ?? '',
  );
  if (short.length <= room) return short;
  const kept = short.slice(0, Math.max(0, room - 1));
  const more = `… ${formatCount(short.length - kept.length)} more: svc webhook routes`;
  return [...kept, style.dim(fitEnd(more, columns))];
}

function priorityOf(route: Route): number {
  if (route.state === 'skipped' || isFailing(route)) return Number.POSITIVE_INFINITY;
  return lastMinute(route);
}

function lastMinute({ activity }: Route): number {
  return activity.perSecond.reduce((sum, count) => sum + count, 0);
}

/** Whether the last request failed here. Rejected requests are the sender's fault. */
function isFailing({ state, activity }: Route): boolean {
  return state === 'served' && (activity.last?.status ?? 200) >= 500;
}

interface RouteOptions extends Pick<View, 'nowMs' | 'style'> {
  readonly nameColumns: number;
  readonly columns: number;
}

function routeLines(route: Route, options: RouteOptions): readonly string[] {
  const { style, columns, nameColumns, nowMs } = options;
  const { id, state, activity, fault } = route;
  const name = padEnd(fitEnd(safeLine(id), nameColumns), nameColumns);
  const rate = padStart(`${formatShortCount(lastMinute(route))}/min`, RATE_COLUMNS);
  const others = '✓ '.length + nameColumns + '  '.length + ' '.length + RATE_COLUMNS + '  '.length;
  const room = Math.max(0, columns - others - LAST_COLUMNS);
  const spark = sparkline(activity.perSecond, Math.min(SPARK_COLUMNS, room));
  const left = `${name}  ${spark} ${rate}  `;
  const rest = columns - 2 - textWidth(left);
  const words = state === 'served' ? lastWords(route, nowMs) : state;
  const below = (text: string): string => `    ${fitEnd(safeLine(text), columns - 4)}`;
  const rejections = activity.rejections.map(([code, count]) => `${formatCount(count)} ${code}`);
  return [
    `${markOf(route, style)} ${fitEnd(left, columns - 2)}${rest < 4 ? '' : fitEnd(words, rest)}`,
    ...(rejections.length === 0
      ? []
      : [style.warning(below(`rejected: ${rejections.join(', ')}`))]),
    ...(fault === null ? [] : [style.fault(below(fault.message))]),
    ...(fault?.hint == null ? [] : [style.dim(below(`→ ${fault.hint}`))]),
  ];
}

function lastWords({ path, activity: { last } }: Route, nowMs: number): string {
  if (last === null) return safeLine(path);
  const { status, code, action, atMs } = last;
  return safeLine(`${status} ${code ?? action ?? ''} ${formatRelativeTime(atMs, nowMs)}`);
}

function markOf(route: Route, style: Style): string {
  const { state } = route;
  if (state !== 'served') return paintedMark(state === 'skipped' ? 'failed' : 'waiting', style);
  return isFailing(route) ? style.fault('!') : style.ok('✓');
}

const STATUS_COLUMNS = 9;

/** The latest changes of flows, as many as fit. */
export function flowLines(
  { webhooks, nowMs }: WebhooksScreenState,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const flows = webhooks?.flows ?? [];
  if (flows.length === 0 || room < 3) return [];
  const lines = flows.slice(0, room - 2).map((flow) => flowLine(flow, nowMs, style, columns));
  return ['', style.dim('flows'), ...lines];
}

function flowLine(flow: FlowRecord, nowMs: number, style: Style, columns: number): string {
  const status = padEnd(flow.status, STATUS_COLUMNS);
  const id = flow.flowId.slice(0, ID_CHARS);
  const ago = formatRelativeTime(flow.updatedAt, nowMs);
  const step = flow.currentStep === null ? '' : ` · ${flow.currentStep}`;
  const room = columns - STATUS_COLUMNS - ID_CHARS - textWidth(ago) - 6;
  const goal = fitEnd(safeLine(`${flow.goal}${step}`), Math.max(0, room));
  const plain = `${status} ${id}  ${goal}`;
  const paint = flow.status === 'queued' ? style.dim : statusPaint(flow.status, style);
  const painted = `${paint(status)} ${style.dim(id)}  ${goal}`;
  // A line with colours must not be cut, so a line that is too long has none.
  return textWidth(plain) > columns
    ? fitEnd(plain, columns)
    : spread(painted, style.dim(ago), columns);
}
