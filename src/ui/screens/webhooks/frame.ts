import type { WebhooksSnapshot } from '../../../engine/webhooks/activity/live-webhooks.js';
import { fitEnd, padEnd, padStart, spread, textWidth } from '../../fit.js';
import { formatCount, formatRelativeTime, formatShortCount } from '../../format.js';
import { safeLine } from '../../safe-text.js';
import { sparkline } from '../../sparkline.js';
import type { Style } from '../../style.js';
import { type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../margin.js';
import { type ServiceKeyWords, serviceFooter, serviceKeyLines } from '../service-keys.js';
import type { TerminalSize } from '../terminal-size.js';
import { flowLines } from './flow-lines.js';
import type { WebhooksScreenState } from './state.js';

const MAX_COLUMNS = 120;
const MAX_NAME = 24;
/** Two seconds a column, when there is room. */
const SPARK_COLUMNS = 30;
const RATE_COLUMNS = 9;

const KEY_WORDS: ServiceKeyWords = {
  reloads: 'routes, limits and secrets',
  finishes: 'the requests under way',
};

const WATCHED_KEYS: readonly KeyHelp[] = [
  ['q, esc', 'leave; the listener goes on'],
  ['?', 'close this list'],
];
const NOT_RUNNING = 'not running: svc serve answers on the routes';
const NO_ROUTES = 'no routes are configured: plugins.entries.webhooks.config.routes';

type Route = WebhooksSnapshot['routes'][number];

/** The lines of the screen at a size; never wider, and never as tall as the terminal. */
export function webhooksFrame(
  state: WebhooksScreenState,
  style: Style,
  size: TerminalSize,
): readonly string[] {
  const { columns, rows: room } = insideMargin(size, MAX_COLUMNS);
  const head = [headLine(state, style, columns), ''];
  const end = [
    '',
    ...(state.help ? helpLines(state, style, columns) : []),
    footer(state, style, columns),
  ];
  const left = room - head.length - end.length;
  const routes = routesLines(state, style, columns, left);
  const flows = flowLines(state, style, columns, left - routes.length);
  const lines = [...head, ...routes, ...flows, ...end];
  // Where there is no room at all the keys and what stands above them stay.
  return withMargin(lines, room);
}

function helpLines(state: WebhooksScreenState, style: Style, columns: number): readonly string[] {
  return state.isWatched
    ? keyLines(WATCHED_KEYS, style, columns)
    : serviceKeyLines(state.isStopping, KEY_WORDS, style, columns);
}

function footer(state: WebhooksScreenState, style: Style, columns: number): string {
  return state.isWatched
    ? style.dim(fitEnd('? keys   q leave', columns))
    : serviceFooter(state.isStopping, style, columns);
}

function headLine(state: WebhooksScreenState, style: Style, columns: number): string {
  const { serve, nowMs, isWatched } = state;
  const service = serve?.services.find(({ name }) => name === 'webhooks');
  const told = service?.failure?.message ?? service?.event ?? '';
  const left = fitEnd(
    safeLine(`svc · webhooks · ${told || (isWatched ? NOT_RUNNING : 'starting')}`),
    columns,
  );
  if (serve === undefined) return style.bold(left);
  const since = formatRelativeTime(serve.startedMs, nowMs).replace(/ ago$/u, '');
  return style.bold(spread(left, `since ${since}`, columns));
}

/** What needs somebody, and what is busy, stays when there are more routes than fit. */
function routesLines(
  { webhooks, nowMs, isWatched }: WebhooksScreenState,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const routes = webhooks?.routes ?? [];
  if (isWatched && routes.length === 0) return [style.dim(fitEnd(NO_ROUTES, columns))];
  const nameColumns = Math.min(
    MAX_NAME,
    Math.max(0, ...routes.map(({ id }) => textWidth(safeLine(id)))),
    Math.max(6, Math.floor(columns / 4)),
  );
  const blocks = routes.map((route) => routeLines(route, { nowMs, nameColumns, style, columns }));
  const all = blocks.flat();
  if (all.length <= room) return all;
  const sorted = [...routes].sort((a, b) => weightOf(b) - weightOf(a));
  const short = sorted.map(
    (route) => routeLines(route, { nowMs, nameColumns, style, columns })[0] ?? '',
  );
  if (short.length <= room) return short;
  const kept = short.slice(0, Math.max(0, room - 1));
  return [...kept, style.dim(`… ${formatCount(short.length - kept.length)} more`)];
}

function weightOf({ state, activity }: Route): number {
  if (state === 'skipped') return Number.POSITIVE_INFINITY;
  return activity.perSecond.reduce((sum, count) => sum + count, 0);
}

interface RouteOptions {
  readonly nowMs: number;
  readonly nameColumns: number;
  readonly style: Style;
  readonly columns: number;
}

function routeLines(route: Route, options: RouteOptions): readonly string[] {
  const { style, columns, nameColumns, nowMs } = options;
  const { id, state, activity, fault } = route;
  const name = padEnd(fitEnd(safeLine(id), nameColumns), nameColumns);
  const sparkColumns = Math.min(SPARK_COLUMNS, Math.max(0, columns - nameColumns - 30));
  const minute = activity.perSecond.reduce((sum, count) => sum + count, 0);
  const rate = padStart(`${formatShortCount(minute)}/min`, RATE_COLUMNS);
  const spark = sparkline(activity.perSecond, sparkColumns);
  const left = `${name}  ${spark} ${rate}  `;
  const rest = columns - 2 - textWidth(left);
  const words = state === 'served' ? lastWords(route, nowMs) : state;
  const below = (text: string): string => `    ${fitEnd(safeLine(text), columns - 4)}`;
  const rejections = activity.rejections.map(([code, count]) => `${formatCount(count)} ${code}`);
  return [
    `${markOf(route, style)} ${fitEnd(left, columns - 2)}${rest < 4 ? '' : fitEnd(words, rest)}`,
    ...(rejections.length === 0 ? [] : [style.yellow(below(`rejected: ${rejections.join(', ')}`))]),
    ...(fault === null ? [] : [style.red(below(fault.message))]),
    ...(fault?.hint == null ? [] : [style.dim(below(`→ ${fault.hint}`))]),
  ];
}

function lastWords({ path, activity: { last } }: Route, nowMs: number): string {
  if (last === null) return safeLine(path);
  const { status, code, action, atMs } = last;
  return safeLine(`${status} ${code ?? action ?? ''} ${formatRelativeTime(atMs, nowMs)}`);
}

function markOf({ state, activity }: Route, style: Style): string {
  if (state === 'skipped') return style.red('✗');
  if (state === 'off') return style.dim('○');
  const code = activity.last?.code ?? null;
  return code === null ? style.green('✓') : style.yellow('!');
}
