import { formatCount, formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import type { RoutesOutput } from '../../engine/webhooks/index.js';
import { wrapText } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style, View } from '../style.js';

/** How routes are shown. */
export type RoutesOptions = Pick<View, 'columns' | 'nowMs' | 'style'>;

type Route = RoutesOutput['routes'][number];

const INDENT = '    ';

/** Each route with its session, secret and last request, then whether a listener is running. */
export function renderRoutes(output: RoutesOutput, options: RoutesOptions): string {
  const { style } = options;
  const { routes, enabled, listening } = output;
  const blocks = routes.flatMap((route) => routeLines(route, options));
  const none = routes.length === 0 ? ['no webhook routes are configured'] : [];
  return `${[...blocks, ...none, ...(enabled ? [] : [OFF]), listeningLine(listening, style)].join('\n')}\n`;
}

const OFF = 'webhooks are disabled: plugins.entries.webhooks.enabled';

function listeningLine(listening: string | null, style: Style): string {
  if (listening === null) return style.dim('no listener is running: svc webhook serve');
  return `listening on ${safeLine(listening)}`;
}

function routeLines(route: Route, options: RoutesOptions): readonly string[] {
  const { style, nowMs } = options;
  const { id, path, state, sessionKey, secretSource, description, fault } = route;
  const mark = MARKS[state];
  const more = [
    `session ${safeLine(sessionKey)}`,
    `secret from ${safeLine(secretSource)}`,
    ...(description === null ? [] : [safeLine(description)]),
  ];
  return [
    `${mark.paint(style)(mark.sign)} ${style.bold(safeLine(id))}  ${safeLine(path)}  ${style.dim(state)}`,
    ...more.map((line) => `${INDENT}${line}`),
    `${INDENT}${style.dim(lastWords(route, nowMs))}`,
    ...(fault === null ? [] : wrapped(fault.message, options).map((line) => style.fault(line))),
    ...(fault?.hint == null ? [] : wrapped(`→ ${fault.hint}`, options)),
  ];
}

function lastWords({ last, requests, rejected }: Route, nowMs: number): string {
  if (last === null) return 'no requests yet';
  const { at, status, code, action } = last;
  const what = code ?? action ?? '';
  const refused = rejected === 0 ? '' : `, ${formatCount(rejected)} rejected`;
  const ago = formatRelativeTime(Date.parse(at), nowMs);
  return `last request ${ago}: ${status} ${safeLine(what)} · ${formatCountOf(requests, 'request')}${refused}`;
}

const MARKS: Readonly<
  Record<Route['state'], { readonly sign: string; readonly paint: (style: Style) => Paint }>
> = {
  served: { sign: '✓', paint: ({ ok }) => ok },
  off: { sign: '○', paint: ({ dim }) => dim },
  skipped: { sign: '✗', paint: ({ fault }) => fault },
};

function wrapped(text: string, { columns }: RoutesOptions): readonly string[] {
  const room = columns === undefined ? undefined : columns - INDENT.length;
  return wrapText(safeLine(text), room).map((line) => `${INDENT}${line}`);
}
