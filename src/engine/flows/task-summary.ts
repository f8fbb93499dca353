import {
  ACTIVE_TASK_STATUSES,
  TASK_RUNTIMES,
  TASK_STATUSES,
  type TaskRuntime,
  type TaskStatus,
} from './task-record.js';

/** The tasks of a flow, counted by state and runtime. */
export interface TaskSummary {
  readonly total: number;
  readonly active: number;
  readonly terminal: number;
  readonly failures: number;
  readonly byStatus: Readonly<Record<TaskStatus, number>>;
  readonly byRuntime: Readonly<Record<TaskRuntime, number>>;
}

/** How many tasks share a state and a runtime. */
export interface TaskCount {
  readonly status: TaskStatus;
  readonly runtime: TaskRuntime;
  readonly count: number;
}

const FAILURES: readonly TaskStatus[] = ['failed', 'timed_out', 'lost'];
const ACTIVE: readonly TaskStatus[] = ACTIVE_TASK_STATUSES;

export function summarizeTasks(counts: readonly TaskCount[]): TaskSummary {
  const sum = (fits: (count: TaskCount) => boolean): number =>
    counts.reduce((total, entry) => total + (fits(entry) ? entry.count : 0), 0);
  const active = sum(({ status }) => ACTIVE.includes(status));
  const total = sum(() => true);
  return {
    total,
    active,
    terminal: total - active,
    failures: sum(({ status }) => FAILURES.includes(status)),
    byStatus: byName(TASK_STATUSES, (name) => sum(({ status }) => status === name)),
    byRuntime: byName(TASK_RUNTIMES, (name) => sum(({ runtime }) => runtime === name)),
  };
}

function byName<Name extends string>(
  names: readonly Name[],
  countOf: (name: Name) => number,
): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, countOf(name)])) as Record<Name, number>;
}
