import type { OverallFault, OverallStatus } from '../../engine/overview/index.js';
import type { ServeState, ServiceSnapshot } from '../../engine/serve/index.js';
import { formatCount, formatRelativeTime, formatTimeUntil } from '../../engine/support/format.js';
import { wrapBehind, wrapSafe } from '../fit.js';
import type { AgentStatusView } from '../memory/status.js';
import { renderStatusOverview } from '../memory/status-overview.js';
import { safeLine, shownPath } from '../safe-text.js';
import { dreamsLines, workLines } from '../screens/home/lines.js';
import type { View } from '../style.js';
import { alignRows, renderTable, right } from '../table.js';

/** The overall status, with views of the agents instead of their memories. */
export type OverallView = Omit<OverallStatus, 'agents'> & {
  readonly agents: readonly AgentStatusView[];
  /** Whether the state of other agents is unknown; each of them has a fault. */
  readonly isAnyUnknown: boolean;
};

const SERVICE_COLUMNS = ['service', 'state', 'since', right('restarts'), 'last'];

const INDENT = '  ';

/** One page: agents, services, next runs and problems. */
export function renderOverallStatus(view: OverallView, options: View): string {
  const { agents, isAnyUnknown, serving, work, hooks, captures } = view;
  const { nextRuns, faults } = view;
  const { style, nowMs } = options;
  // Problems of agents are listed below with all others.
  const withoutFaults = agents.map((agent) => ({
    ...agent,
    status: { ...agent.status, faults: [] },
  }));
  const parts = [
    ...(agents.length > 0 ? [renderStatusOverview(withoutFaults, options)] : []),
    ...(agents.length === 0 && !isAnyUnknown ? ['no memories\n'] : []),
    workPart(view, options) + hooksPart(hooks, options) + capturesPart(captures, options),
    ...(work.listener.fault === undefined ? [servingPart(serving, options)] : []),
    ...(nextRuns.length === 0
      ? []
      : [
          `next\n${nextRuns
            .map(({ what, atMs }) => `${INDENT}${safeLine(what)} ${formatTimeUntil(atMs, nowMs)}\n`)
            .join('')}`,
        ]),
    faults.length === 0
      ? `${style.ok(isAnyHookBroken(view) ? 'no other problems' : 'no problems')}\n`
      : faults.flatMap((fault) => faultLines(fault, options)).join(''),
  ];
  return parts.join('\n');
}

/** These are named where they are listed. */
function isAnyHookBroken({ hooks, captures }: OverallView): boolean {
  const isFailed = ({ moved, last }: OverallView['captures'][number]): boolean =>
    moved !== undefined || typeof last?.error === 'string';
  return hooks.some(({ effect }) => !effect.recalls) || captures.some(isFailed);
}

/** The same facts about work as on the home screen. */
function workPart({ work }: OverallView, { nowMs }: View): string {
  const all = [...workLines(work, nowMs), ...dreamsLines(work.dreams, nowMs)];
  const lines = alignRows(all.map(({ title, parts }) => [title, parts.join(' · ')]));
  return lines.map((line) => `${line}\n`).join('');
}

/** Agents that recall memory before each turn, and agents whose hook has no effect. */
function hooksPart(hooks: OverallView['hooks'], { style }: View): string {
  return hooks
    .map(({ title, effect: { recalls, why, hint } }) => {
      if (recalls) return `active memory for ${safeLine(title)}\n`;
      const hintLine = hint === null ? '' : `\n${INDENT}→ ${safeLine(hint)}`;
      const line = `the hook of ${safeLine(title)} recalls nothing: ${safeLine(why ?? '')}`;
      return `${style.warning(line)}${hintLine}\n`;
    })
    .join('');
}

/** Agents whose conversations are captured, and the result of the last capture. */
function capturesPart(captures: OverallView['captures'], { style, nowMs }: View): string {
  return captures
    .map(({ title, moved, last }) => {
      const head = `capture from ${safeLine(title)}`;
      if (moved !== undefined) {
        const line = `${head} cannot start: ${safeLine(moved.missing)} does not exist`;
        return `${style.warning(line)}\n${INDENT}→ ${safeLine(moved.hint)}\n`;
      }
      if (last === undefined) return `${head}: nothing captured yet\n`;
      const when = formatRelativeTime(last.atMs, nowMs);
      if (last.error === null) return `${head}: last ${when}\n`;
      return `${style.warning(`${head} failed ${when}: ${safeLine(last.error)}`)}\n`;
    })
    .join('');
}

function servingPart(serving: ServeState | undefined, view: View): string {
  const { style, nowMs, columns, homeDir } = view;
  if (serving === undefined) return `${style.dim('svc serve is not running')}\n`;
  const { command, pid, startedMs, services, configFile } = serving;
  // It can be another one than that of this command.
  const config = configFile === null ? 'no configuration' : shownPath(configFile, homeDir);
  const started = `started ${formatRelativeTime(startedMs, nowMs)} (process ${pid})`;
  const words = `${command} is running with ${config}, ${started}`;
  const head = `${wrapSafe(words, columns).join('\n')}\n`;
  if (services.length === 0) return head;
  const rows = services.map((service) => serviceRow(service, nowMs));
  return `${head}\n${renderTable(SERVICE_COLUMNS, rows, { style })}`;
}

function serviceRow(service: ServiceSnapshot, nowMs: number): readonly string[] {
  const { name, state, since, restarts, event } = service;
  return [
    safeLine(name),
    state,
    formatRelativeTime(Date.parse(since), nowMs),
    formatCount(restarts),
    safeLine(event ?? '–'),
  ];
}

function faultLines(
  { about, message, hint }: OverallFault,
  { style, columns }: View,
): readonly string[] {
  return [
    ...wrapSafe(`${about}: ${message}`, columns).map(style.fault),
    ...(hint === undefined ? [] : wrapBehind(INDENT, `→ ${hint}`, columns)),
  ].map((line) => `${line}\n`);
}
