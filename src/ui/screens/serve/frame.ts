import type { ServiceSnapshot } from '../../../engine/serve/index.js';
import { formatEta, formatRelativeTime } from '../../../engine/support/format.js';
import { fitEnd, fitMiddle, padEnd, spread, textWidth } from '../../fit.js';
import { safeLine, shownPath } from '../../safe-text.js';

import type { Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import { insideMargin, withMargin } from '../lines.js';
import { type ServiceKeyWords, serviceFooter, serviceKeyLines } from '../service-keys.js';
import type { ServeScreenState } from './state.js';

const MAX_COLUMNS = 120;
/** Longer names are cut: agents can have any name. */
const MAX_NAME = 28;
const STATE_COLUMNS = 9;
const SINCE_COLUMNS = 10;

const KEY_WORDS: ServiceKeyWords = { reloads: 'the configuration', finishes: 'work in progress' };

/** How a frame is drawn. */
export interface ServeFrameOptions {
  readonly style: Style;
  readonly homeDir: string;
}

/** The lines of the screen at a size; never wider than the terminal, and always shorter. */
export function serveFrame(
  state: ServeScreenState,
  options: ServeFrameOptions,
  size: TerminalSize,
): readonly string[] {
  const { columns, rows: room } = insideMargin(size, MAX_COLUMNS);
  const head = [headLine(state, options.style, columns), ''];
  const end = [
    '',
    ...(state.help ? serviceKeyLines(state.isStopping, KEY_WORDS, options.style, columns) : []),
    ...logLine(state, options, columns),
    serviceFooter(state.isStopping, options.style, columns),
  ];
  const body = bodyLines(state, options.style, columns, room - head.length - end.length);
  const lines = [...head, ...body, ...end];
  // Without room, only the keys and the lines above them are kept.
  return withMargin(lines, room);
}

function headLine({ serve, nowMs }: ServeScreenState, style: Style, columns: number): string {
  if (serve === undefined) return style.bold(fitEnd('svc · serve', columns));
  const left = fitEnd(`svc · serve · process ${serve.pid}`, columns);
  return style.bold(spread(left, `since ${shortAgo(serve.startedMs, nowMs)}`, columns));
}

/** If not all services fit, healthy ones are left out first. */
function bodyLines(
  { serve, nowMs }: ServeScreenState,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const services = serve?.services ?? [];
  const nameColumns = Math.min(
    MAX_NAME,
    Math.max(0, ...services.map(({ name }) => textWidth(safeLine(name)))),
    Math.max(6, Math.floor(columns / 3)),
  );
  const shown = services.map((service) => ({
    isWell: service.failure === null,
    lines: serviceLines(service, nowMs, nameColumns, style, columns),
  }));
  let left = shown.reduce((sum, { lines }) => sum + lines.length, 0);
  if (left <= room) return shown.flatMap(({ lines }) => lines);
  const dropped = new Set<(typeof shown)[number]>();
  for (const service of [...shown].reverse()) {
    if (left + 1 <= room) break;
    if (!service.isWell) continue;
    dropped.add(service);
    left -= service.lines.length;
  }
  const kept = shown.filter((service) => !dropped.has(service)).flatMap(({ lines }) => lines);
  const more =
    dropped.size === 0 ? [] : [style.dim(fitEnd(`… ${dropped.size} more, all running`, columns))];
  return [...kept.slice(0, Math.max(0, room - more.length)), ...more];
}

function serviceLines(
  service: ServiceSnapshot,
  nowMs: number,
  nameColumns: number,
  style: Style,
  columns: number,
): readonly string[] {
  const { state, failure, sinceMs, retryMs } = service;
  const name = padEnd(fitEnd(safeLine(service.name), nameColumns), nameColumns);
  const since = padEnd(shortAgo(sinceMs, nowMs), SINCE_COLUMNS);
  const plain = `${name}  ${padEnd(state, STATE_COLUMNS)} ${since} `;
  const rest = columns - 2 - textWidth(plain);
  const again = retryMs === null ? [] : [`retry in ${formatEta(retryMs - nowMs)}`];
  const restarts = service.restarts === 0 ? [] : [`${service.restarts} restarts`];
  const told = service.event === null || state === 'waiting' ? [] : [safeLine(service.event)];
  const tail = rest < 4 ? '' : fitEnd([...again, ...told, ...restarts].join(' · '), rest);
  const indent = ' '.repeat(Math.min(columns, nameColumns + 4));
  const below = (text: string): string => indent + fitEnd(safeLine(text), columns - indent.length);
  return [
    `${markOf(service, style)} ${fitEnd(plain, columns - 2)}${tail}`,
    ...(failure === null ? [] : [below(failure.message)]),
    ...(failure?.hint == null ? [] : [style.dim(below(`→ ${failure.hint}`))]),
  ];
}

function markOf({ state, failure }: ServiceSnapshot, style: Style): string {
  if (state === 'waiting') return style.fault('✗');
  if (state === 'stopped') return style.dim('○');
  if (state !== 'ready') return style.accent('●');
  return failure === null ? style.ok('✓') : style.warning('!');
}

function shortAgo(atMs: number, nowMs: number): string {
  return formatRelativeTime(atMs, nowMs).replace(/ ago$/u, '');
}

function logLine(
  { serve }: ServeScreenState,
  { style, homeDir }: ServeFrameOptions,
  columns: number,
): readonly string[] {
  if (serve?.logFile == null) return [];
  return [style.dim(`log ${fitMiddle(shownPath(serve.logFile, homeDir), columns - 4)}`)];
}
