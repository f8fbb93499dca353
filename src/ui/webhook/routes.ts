import { formatCount, formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import type { MapOutput, RotateOutput, RoutesOutput } from '../../engine/webhooks/index.js';
import { wrapBehind } from '../fit.js';
import { renderJson, safeLine } from '../safe-text.js';
import { paintedMark, type Style, type View } from '../style.js';

type Route = RoutesOutput['routes'][number];

const INDENT = '    ';

/** In place of an empty list of routes. */
export const NO_ROUTES =
  'no routes configured: add one below plugins.entries.webhooks.config.routes';

/** Each route with its session, secret and last request, then whether a listener is running. */
export function renderRoutes(output: RoutesOutput, options: View): string {
  const { style, hintFor } = options;
  const { routes, enabled, listening } = output;
  const blocks = routes.flatMap((route) => routeLines(route, options));
  const none = routes.length === 0 ? [NO_ROUTES] : [];
  const faulty = routes.some(({ fault }) => fault !== null);
  return `${[
    ...blocks,
    ...none,
    ...(enabled ? [] : [DISABLED_NOTE]),
    listening === null
      ? style.dim(hintFor('no listener is running: svc webhook serve'))
      : `listening on ${safeLine(listening)}`,
    ...(faulty && listening !== null ? [VARIABLES_NOTE] : []),
  ].join('\n')}\n`;
}

const VARIABLES_NOTE = "the listener's variables can differ from those of this shell: see its log";

const DISABLED_NOTE = 'webhooks are disabled: plugins.entries.webhooks.enabled';

function routeLines(route: Route, { style, nowMs, columns }: View): readonly string[] {
  const { id, path, state, sessionKey, secretSource, description, fault } = route;
  const details = [
    `session ${sessionKey}`,
    `secret from ${secretSource}`,
    ...(description === null ? [] : [description]),
  ];
  return [
    `${paintedMark(ROUTE_MARKS[state], style)} ${style.bold(safeLine(id))}  ${safeLine(path)}  ${style.dim(state)}`,
    ...details.flatMap((line) => wrapBehind(INDENT, line, columns)),
    ...wrapBehind(INDENT, lastRequestWords(route, nowMs), columns, style.dim),
    ...(fault === null ? [] : wrapBehind(INDENT, fault.message, columns, style.fault)),
    ...(fault?.hint == null ? [] : wrapBehind(INDENT, `→ ${fault.hint}`, columns)),
  ];
}

function lastRequestWords({ last, requests, rejected }: Route, nowMs: number): string {
  if (last === null) return 'no requests yet';
  const { at, status, code, action } = last;
  const outcome = code ?? action ?? '';
  const rejections = rejected === 0 ? '' : `, ${formatCount(rejected)} rejected`;
  const ago = formatRelativeTime(Date.parse(at), nowMs);
  return `last request ${ago}: ${status} ${outcome} · ${formatCountOf(requests, 'request')}${rejections}`;
}

const ROUTE_MARKS = { served: 'ok', off: 'waiting', skipped: 'failed' } as const;

/** What a route would do with a request. */
export function renderMapping(output: MapOutput, { style }: View): string {
  const { event, error, rule, outcome, action } = output;
  const facts: readonly (readonly [string, string])[] = [
    ['verified', verifiedWords(output, style)],
    ...(event === null ? [] : [['event', safeLine(event)] as const]),
    ...(rule === null ? [] : [['rule', String(rule)] as const]),
    ['outcome', error === null ? safeLine(outcome) : style.fault(`${outcome}: ${safeLine(error)}`)],
  ];
  const lines = facts.map(([name, value]) => `${style.dim(name.padEnd(9))} ${value}`);
  const actions = (action ?? []).map(renderJson);
  return `${[...lines, ...actions].join('\n')}\n`;
}

function verifiedWords({ verified, reason }: MapOutput, style: Style): string {
  if (verified === null) return style.dim(`unknown. ${safeLine(reason ?? '')}`);
  return verified ? style.ok('yes') : style.fault(`no. ${safeLine(reason ?? '')}`);
}

/** The valid secrets of a route, and what to do next. */
export function renderRotation({ route, file, secrets, next }: RotateOutput): string {
  const valid = secrets.map((source) => `  ${safeLine(source)}`);
  return `${[
    ...(file === null ? [] : [`changed ${safeLine(file)}`]),
    `valid secrets of route ${safeLine(route)}, the newest first:`,
    ...valid,
    'next:',
    ...next.map((step, at) => `  ${at + 1}. ${safeLine(step)}`),
  ].join('\n')}\n`;
}
