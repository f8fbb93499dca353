import { fromJsonText } from '../flow-model/fields.js';
import { type FlowRecord, flowOutput } from '../flow-model/flow-record.js';
import { historyEntryOutput } from '../flow-model/history-record.js';
import {
  type PauseRecord,
  pauseOutput,
  type TaskRecord,
  taskOutput,
} from '../flow-model/task-record.js';
import { iso } from '../support/time.js';
import type { Page } from './flow-store.js';
import type { ChangeOutcome, FlowEntry, FlowHistory, TaskDetails } from './operator-flows.js';
import type {
  BulkOutput,
  FlowHistoryOutput,
  FlowListOutput,
  FlowShowOutput,
  TaskListOutput,
  TaskShowOutput,
} from './output-schemas.js';

/** One flow of a list. */
export function flowEntryOutput({ flow, summary }: FlowEntry): FlowListOutput['flows'][number] {
  const { total, active, failures } = summary;
  return { ...flowOutput(flow), tasks: { total, active, failures } };
}

/** `svc flow list`. @param findings only with `--audit` */
export function flowListOutput(
  { entries, total }: Page<FlowEntry>,
  findings: FlowListOutput['findings'],
): FlowListOutput {
  return {
    flows: entries.map(flowEntryOutput),
    total,
    ...(findings === undefined ? {} : { findings }),
  };
}

/** `svc flow show`. */
export function flowShowOutput(flow: FlowRecord, tasks: readonly TaskRecord[]): FlowShowOutput {
  return {
    flow: flowOutput(flow),
    ...(flow.stateJson === null ? {} : { stateJson: fromJsonText(flow.stateJson) }),
    ...(flow.waitJson === null ? {} : { waitJson: fromJsonText(flow.waitJson) }),
    tasks: tasks.map(taskOutput),
  };
}

/** `svc task list`. @param findings only with `--audit` */
export function taskListOutput(
  { entries, total }: Page<TaskRecord>,
  paused: readonly PauseRecord[],
  findings: TaskListOutput['findings'],
): TaskListOutput {
  return {
    tasks: entries.map(taskOutput),
    total,
    paused: paused.map(pauseOutput),
    ...(findings === undefined ? {} : { findings }),
  };
}

/** `svc task show`. */
export function taskShowOutput({ task, flow, history }: TaskDetails): TaskShowOutput {
  return {
    task: taskOutput(task),
    flow: flow === undefined ? null : flowOutput(flow),
    ...(task.resultJson === null ? {} : { result: fromJsonText(task.resultJson) }),
    history: history.map(historyEntryOutput),
  };
}

/** `svc flow history`. */
export function flowHistoryOutput(history: FlowHistory): FlowHistoryOutput {
  const { flow, entries, startsAt, gapAfter } = history;
  return {
    flowId: flow.flowId,
    status: flow.status,
    startsAt: startsAt === undefined ? null : iso(startsAt),
    gapAfter: gapAfter ?? null,
    entries: entries.map(historyEntryOutput),
  };
}

/** A command that changed several flows or tasks. */
export function bulkOutput<R>({
  changed,
  total,
  dryRun,
  isDone,
  of,
}: {
  readonly changed: readonly ChangeOutcome<R>[];
  readonly total: number;
  readonly dryRun: boolean;
  /** Whether anything was attempted. */
  readonly isDone: boolean;
  readonly of: (record: R) => Pick<BulkOutput['results'][number], 'id' | 'status'>;
}): BulkOutput {
  const failed = changed.filter(({ error }) => error !== undefined).length;
  return {
    dryRun,
    matched: total,
    changed: isDone ? changed.length - failed : 0,
    failed,
    results: changed.map(({ record, error }) => {
      const { id, status } = of(record);
      const outcome = error === undefined ? (isDone ? 'changed' : 'unchanged') : 'failed';
      return { id, status, outcome, error: error?.message ?? null };
    }),
  };
}
