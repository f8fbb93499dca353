import type {
  LogRecord,
  ServeQueue,
  ServeState,
  ServiceSnapshot,
} from '../../../engine/serve/index.js';
import {
  formatCount,
  formatCountOf,
  formatEta,
  formatRelativeTime,
  formatShortCount,
} from '../../../engine/support/format.js';
import type { ListColumn } from '../../components/list.js';
import type { ListItem } from '../../components/list-state.js';
import type { PaneLine } from '../../components/pane.js';
import { sparkline } from '../../components/plot.js';
import { safeLine } from '../../safe-text.js';
import { levelPaint, renderLogRecord } from '../../serve/log-line.js';
import { createStyle, MARKS, type Mark, paintedMark, type Style } from '../../style.js';

/** A service in the list. */
export interface ServiceItem extends ListItem {
  readonly service: ServiceSnapshot;
}

/** The state of the screen of svc serve. */
export interface ServeScreenState {
  /** Undefined until the process has started. */
  readonly serve: ServeState | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly isStopping: boolean;
  /** Requests to all routes in each second of the last minute; undefined without a listener. */
  readonly traffic: readonly number[] | undefined;
  /** Undefined while no flows are open. */
  readonly queue: ServeQueue | undefined;
  /** The latest records by service, newest first. */
  readonly logs: ReadonlyMap<string, readonly LogRecord[]>;
}

/** More is in the log file. */
const MOST_RECORDS = 100;

/** Adds a record to the latest ones of its service. */
export function withRecord(
  logs: ServeScreenState['logs'],
  record: LogRecord,
): ServeScreenState['logs'] {
  const { service } = record.fields;
  if (typeof service !== 'string') return logs;
  const records = [record, ...(logs.get(service) ?? [])].slice(0, MOST_RECORDS);
  return new Map(logs).set(service, records);
}

/** Whether a service waits for a retry or has failed. */
export function isFailing({ state, failure }: ServiceSnapshot): boolean {
  return state === 'waiting' || failure !== null;
}

/** When the process has started, if it has. */
export function startedFacts({
  serve,
  nowMs,
}: Pick<ServeScreenState, 'nowMs' | 'serve'>): readonly string[] {
  return serve === undefined ? [] : [`started ${formatRelativeTime(serve.startedMs, nowMs)}`];
}

/** The services to list. */
export function serviceItems(
  { serve }: ServeScreenState,
  choice: 'all' | 'failing',
): readonly ServiceItem[] {
  const services = (serve?.services ?? []).filter(
    (service) => choice === 'all' || isFailing(service),
  );
  return services.map((service) => {
    const { name, state, event, failure } = service;
    const text = [name, state, event, failure?.message].filter(Boolean).join(' ');
    return { id: name, text, service };
  });
}

const SPARK_COLUMNS = 15;

/** The columns of the list. */
export function serviceColumns(
  state: ServeScreenState,
  style: Style,
): readonly ListColumn<ServiceItem>[] {
  const { nowMs, traffic, queue } = state;
  const columns: readonly ListColumn<ServiceItem>[] = [
    {
      title: '  service',
      cell: ({ service }) => `${MARKS[markOf(service)]} ${safeLine(service.name)}`,
      paint: (text, { service }) =>
        paintedMark(markOf(service), style, text.slice(0, 1)) + text.slice(1),
    },
    { title: 'state', cell: ({ service }) => service.state },
    {
      title: 'since',
      cell: ({ service }) => formatRelativeTime(Date.parse(service.since), nowMs),
      dropOrder: 1,
    },
    { title: 'work', cell: ({ id }) => workWords(id, state), dropOrder: 2 },
    {
      title: 'last',
      cell: ({ service }) => lastWords(service, nowMs),
      paint: (text, { service }) => (isFailing(service) ? style.fault(text) : text),
    },
  ];
  const hasWork = traffic !== undefined || queue !== undefined;
  return columns.filter(({ title }) => title !== 'work' || hasWork);
}

/** The requests to webhooks, the queue of tasks, and what is to be delivered. */
function workWords(name: string, { traffic, queue }: ServeScreenState): string {
  if (name === 'webhooks' && traffic !== undefined) return trafficWords(traffic);
  if (queue === undefined) return '';
  const { queued, running, notifications } = queue;
  if (name === 'tasks') return `${formatCount(queued)} queued · ${formatCount(running)} running`;
  return name === 'flows' && notifications > 0 ? formatCountOf(notifications, 'notification') : '';
}

/** Has the same width for any traffic, so that nothing moves. */
function trafficWords(traffic: readonly number[]): string {
  const minute = traffic.reduce((sum, count) => sum + count, 0);
  const rate = `${formatShortCount(minute)}/min`;
  return `${sparkline(traffic, SPARK_COLUMNS)} ${rate.padStart(8)}`;
}

function lastWords(service: ServiceSnapshot, nowMs: number): string {
  const message = service.failure?.message ?? service.event;
  return [...retryWords(service, nowMs), ...(message === null ? [] : [safeLine(message)])].join(
    ' · ',
  );
}

/** When a service is started again, if it is to be. */
export function retryWords({ retryAt }: ServiceSnapshot, nowMs: number): readonly string[] {
  return retryAt === null ? [] : [`retry in ${formatEta(Date.parse(retryAt) - nowMs)}`];
}

function markOf(service: ServiceSnapshot): Mark {
  const { state } = service;
  if (state === 'waiting') return 'failed';
  if (state === 'stopped') return 'waiting';
  if (state !== 'ready') return 'running';
  return isFailing(service) ? 'warning' : 'ok';
}

/** A service and what it logged last. */
export function serviceDetails(
  service: ServiceSnapshot,
  { logs, nowMs }: ServeScreenState,
  style: Style,
): readonly PaneLine[] {
  const { name, state, since, event, restarts, failure } = service;
  const records = logs.get(name) ?? [];
  const plain = createStyle(false);
  return [
    { text: name, paint: style.bold },
    { label: 'state', text: state },
    ...(failure === null ? [] : [{ label: 'failure', text: failure.message, paint: style.fault }]),
    ...(failure?.hint == null ? [] : [{ label: 'hint', text: failure.hint }]),
    { label: 'since', text: formatRelativeTime(Date.parse(since), nowMs) },
    ...(restarts === 0 ? [] : [{ label: 'restarts', text: formatCount(restarts) }]),
    ...(event === null ? [] : [{ label: 'last', text: event }]),
    { text: '' },
    { text: records.length === 0 ? 'nothing logged yet' : 'log, newest first', paint: style.dim },
    ...records.map((record): PaneLine => {
      const { service: _, ...fields } = record.fields;
      const text = renderLogRecord({ ...record, fields }, plain);
      return { text, paint: levelPaint(record.level, style) };
    }),
  ];
}
