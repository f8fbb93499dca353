import type { ScheduleListOutput, ScheduleNextOutput } from '../../engine/schedules/index.js';
import { formatRelativeTime, formatTimeUntil, zonedMinute } from '../../engine/support/format.js';
import { ID_CHARS } from '../flows/rows.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { renderTable } from '../table.js';

type Listed = ScheduleListOutput['schedules'][number];

const COLUMNS = [
  'schedule',
  'state',
  { title: 'last run', dropOrder: 2 },
  { title: 'last flow', dropOrder: 1 },
  'next run',
] as const;

/** Schedules as a table. */
export function renderSchedules(schedules: readonly Listed[], options: View): string {
  if (schedules.length === 0) return 'no schedules\n';
  const { style, nowMs, columns } = options;
  const rows = schedules.map(({ id, state, timezone, nextRunAt, lastRunAt, lastFlow }) => [
    safeLine(id),
    state === 'overdue' ? style.fault(state) : state === 'disabled' ? style.dim(state) : state,
    lastRunAt === null ? '–' : formatRelativeTime(Date.parse(lastRunAt), nowMs),
    lastFlow === null
      ? '–'
      : `${lastFlow.flowId.slice(0, ID_CHARS)} ${lastFlow.status ?? 'pruned'}`,
    nextRunAt === null ? '–' : dueWords(nextRunAt, timezone, nowMs),
  ]);
  return renderTable(COLUMNS, rows, { style, columns });
}

/** The due times of one schedule. */
export function renderNextRuns(
  { enabled, cron, timezone, runs }: ScheduleNextOutput,
  nowMs: number,
): string {
  const whyOff = enabled ? undefined : 'the schedule is disabled';
  return renderDueTimes(cron, timezone, runs, { nowMs, whyOff });
}

/** A due time in its time zone, and how long it is until then. */
export function dueWords(at: string, timeZone: string | null, nowMs: number): string {
  return `${localWords(at, timeZone)}, ${formatTimeUntil(Date.parse(at), nowMs)}`;
}

/** When a schedule is due, and each of the next times on a line. @param whyOff why it never runs; undefined if it does */
export function renderDueTimes(
  cron: string,
  timeZone: string | null,
  runs: readonly string[],
  { nowMs, whyOff }: { readonly nowMs: number; readonly whyOff: string | undefined },
): string {
  const zone = timeZone === null ? "the host's time zone" : safeLine(timeZone);
  const lines = runs.map(
    (run) => `  ${localWords(run, timeZone)}  ${formatTimeUntil(Date.parse(run), nowMs)}`,
  );
  return `${[`${safeLine(cron)} in ${zone}`, ...(whyOff === undefined ? [] : [whyOff]), ...lines].join('\n')}\n`;
}

function localWords(at: string, timeZone: string | null): string {
  return zonedMinute(Date.parse(at), timeZone ?? undefined);
}
