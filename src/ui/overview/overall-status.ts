import type { OverallFault, OverallStatus } from '../../engine/overview/overall-status.js';
import type { ServedService, Serving } from '../../engine/overview/serving.js';
import { formatCount, formatRelativeTime } from '../format.js';
import type { AgentStatusView, StatusOptions } from '../memory/status.js';
import { renderStatusOverview } from '../memory/status-overview.js';
import { safeLine } from '../safe-text.js';
import { workLines } from '../screens/home/lines.js';
import { alignRows, renderTable, type TableColumn } from '../table.js';
import { LIGHT_MEASURE, wrapSpans } from '../wrap.js';

/** What is shown of everything: views of the agents in place of their memories. */
export type OverallView = Omit<OverallStatus, 'agents'> & {
  readonly agents: readonly AgentStatusView[];
};

const SERVICE_COLUMNS: readonly TableColumn[] = [
  { title: 'service' },
  { title: 'state' },
  { title: 'since' },
  { title: 'restarts', align: 'right' },
  { title: 'last' },
];

const INDENT = '  ';

/** One page for everything: agents, services, what comes next, what is wrong. */
export function renderOverallStatus(view: OverallView, options: StatusOptions): string {
  const { agents, serving, work, nextRuns, faults } = view;
  const { style, nowMs } = options;
  // Their faults stand below with all others.
  const well = agents.map((agent) => ({ ...agent, status: { ...agent.status, faults: [] } }));
  const parts = [
    agents.length === 0 ? 'no memory to tell of\n' : renderStatusOverview(well, options),
    workPart(work, options),
    servingPart(serving, options),
    ...(nextRuns.length === 0
      ? []
      : [
          `next\n${nextRuns
            .map(({ what, atMs }) => `${INDENT}${safeLine(what)} ${inTime(atMs, nowMs)}\n`)
            .join('')}`,
        ]),
    faults.length === 0
      ? `${style.green('no faults')}\n`
      : faults.flatMap((fault) => faultLines(fault, options)).join(''),
  ];
  return parts.join('\n');
}

/** The lines of home, in words alone. */
function workPart(work: OverallView['work'], { nowMs }: StatusOptions): string {
  const rows = workLines(work, nowMs).map(({ title, parts }) => [title, parts.join(' · ')]);
  const lines = alignRows(rows, ['left', 'left']);
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function servingPart(serving: Serving | undefined, { style, nowMs }: StatusOptions): string {
  if (serving === undefined) return `${style.dim('svc serve does not run')}\n`;
  const { pid, startedMs, services } = serving;
  const head = `svc serve runs, started ${formatRelativeTime(startedMs, nowMs)} (process ${pid})\n`;
  if (services.length === 0) return head;
  const rows = services.map((service) => serviceRow(service, nowMs));
  return `${head}\n${renderTable(SERVICE_COLUMNS, rows, style)}`;
}

function serviceRow(service: ServedService, nowMs: number): readonly string[] {
  const { name, state, sinceMs, restarts, event } = service;
  return [
    safeLine(name),
    state,
    formatRelativeTime(sinceMs, nowMs),
    formatCount(restarts),
    safeLine(event ?? '–'),
  ];
}

/** Moments that may have passed meanwhile: it is just being done then. */
function inTime(atMs: number, nowMs: number): string {
  const seconds = Math.ceil((atMs - nowMs) / 1000);
  if (seconds <= 0) return 'now';
  return seconds < 120 ? `in ${seconds} s` : `in ${formatCount(seconds / 60)} min`;
}

function faultLines(
  { about, message, hint }: OverallFault,
  { style, columns }: StatusOptions,
): readonly string[] {
  const wrap = (text: string, indent: string): readonly string[] => {
    const line = safeLine(text);
    if (columns === undefined) return [`${indent}${line}`];
    const spans = wrapSpans(line, columns - indent.length, LIGHT_MEASURE);
    return spans.map(({ start, end }) => indent + line.slice(start, end).trimEnd());
  };
  return [
    ...wrap(`${about}: ${message}`, '').map((line) => `${style.red(line)}\n`),
    ...(hint === undefined ? [] : wrap(`→ ${hint}`, INDENT).map((line) => `${line}\n`)),
  ];
}
