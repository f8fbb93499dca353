import type { ScheduleListOutput, ScheduleNextOutput } from '../../engine/schedules/index.js';
import { formatRelativeTime } from '../../engine/support/format.js';
import { dueWords, renderDueTimes } from '../due-times.js';
import { ID_CHARS } from '../flows/rows.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { renderTable } from '../table.js';

type ScheduleOptions = Pick<View, 'nowMs' | 'style'>;

type Listed = ScheduleListOutput['schedules'][number];

const COLUMNS = ['schedule', 'state', 'next run', 'last run', 'last flow'] as const;

/** Schedules as a table. */
export function renderSchedules(schedules: readonly Listed[], options: ScheduleOptions): string {
  if (schedules.length === 0) return 'no schedules\n';
  const { style, nowMs } = options;
  const rows = schedules.map(({ id, state, timezone, nextRunAt, lastRunAt, lastFlow }) => [
    safeLine(id),
    state === 'overdue' ? style.fault(state) : state === 'disabled' ? style.dim(state) : state,
    nextRunAt === null ? '–' : dueWords(nextRunAt, timezone, nowMs),
    lastRunAt === null ? '–' : formatRelativeTime(Date.parse(lastRunAt), nowMs),
    lastFlow === null
      ? '–'
      : `${lastFlow.flowId.slice(0, ID_CHARS)} ${lastFlow.status ?? 'pruned'}`,
  ]);
  return renderTable(COLUMNS, rows, style);
}

/** The due times of one schedule. */
export function renderNextRuns(
  { enabled, cron, timezone, runs }: ScheduleNextOutput,
  nowMs: number,
): string {
  const off = enabled ? undefined : 'the schedule is disabled';
  return renderDueTimes(cron, timezone, runs, { nowMs, off });
}
