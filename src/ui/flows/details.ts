import type { FlowEntry, FlowRecord, HistoryEntry, TaskRecord } from '../../engine/flows/index.js';
import { formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { alignRows } from '../table.js';
import { renderLastChanges } from './history.js';
import { type ListOptions, renderTaskList } from './list.js';
import { statusPaint } from './rows.js';

type Row = readonly [name: string, value: string | null | undefined];

type ShownFlow = FlowEntry & {
  readonly tasks: readonly TaskRecord[];
  readonly history: readonly HistoryEntry[];
};

/** All fields of a flow, its tasks, and its newest changes. */
export function renderFlow(
  { flow, summary, tasks, history }: ShownFlow,
  options: ListOptions,
): string {
  const { style, nowMs } = options;
  const rows: readonly Row[] = [
    ['status', statusPaint(flow.status, style)(flow.status)],
    ['goal', flow.goal],
    ['step', flow.currentStep],
    ['blocked by', flow.blockedTaskId],
    ['blocked', flow.blockedSummary],
    ['session', flow.ownerKey],
    ['controller', flow.controllerId],
    ['revision', String(flow.revision)],
    ['notify', flow.notifyPolicy],
    ['state', flow.stateJson],
    ['waits for', flow.waitJson],
    ...times(flow, nowMs),
    ['tasks', `${formatCountOf(summary.total, 'task')}, ${summary.active} active`],
  ];
  const list =
    tasks.length === 0
      ? ''
      : `\n${renderTaskList({ entries: tasks, total: tasks.length }, options)}`;
  return `${style.bold(`flow ${flow.flowId}`)}\n${fields(rows, style)}${list}${renderLastChanges(history, flow.flowId, options)}`;
}

/** All fields of a task, and its newest changes. */
export function renderTask(
  {
    task,
    flow,
    history,
  }: {
    readonly task: TaskRecord;
    readonly flow: FlowRecord | undefined;
    readonly history: readonly HistoryEntry[];
  },
  options: ListOptions,
): string {
  const { style, nowMs } = options;
  const rows: readonly Row[] = [
    ['status', statusPaint(task.status, style)(task.status)],
    ['task', task.task],
    ['label', task.label],
    ['flow', flow === undefined ? task.parentFlowId : `${flow.flowId} (${flow.status})`],
    ['runtime', task.runtime],
    ['agent', task.agentId],
    ['run', task.runId],
    ['child session', task.childSessionKey],
    ['worker', task.leaseOwner],
    ['attempts', String(task.attempts)],
    ['outcome', task.terminalOutcome],
    ['summary', task.terminalSummary],
    ['progress', task.endedAt === null ? task.progressSummary : null],
    ['error', task.error],
    ['result', task.resultJson],
    ['notify', `${task.notifyPolicy}, ${task.deliveryStatus}`],
    ...times(task, nowMs),
    ['lease until', moment(task.leaseExpiresAt)],
    ['next run', moment(task.nextRunAt)],
  ];
  const changes = renderLastChanges(history, task.parentFlowId, options);
  return `${style.bold(`task ${task.taskId}`)}\n${fields(rows, style)}${changes}`;
}

function times(
  record: Pick<FlowRecord, 'cancelRequestedAt' | 'createdAt' | 'endedAt'> & {
    readonly startedAt?: number | null;
  },
  nowMs: number,
): readonly Row[] {
  const at = (ms: number | null | undefined): string | undefined =>
    ms === null || ms === undefined
      ? undefined
      : `${formatRelativeTime(ms, nowMs)}, ${new Date(ms).toISOString()}`;
  return [
    ['created', at(record.createdAt)],
    ['started', at(record.startedAt)],
    ['cancel requested', at(record.cancelRequestedAt)],
    ['ended', at(record.endedAt)],
  ];
}

function moment(ms: number | null): string | undefined {
  return ms === null ? undefined : new Date(ms).toISOString();
}

function fields(rows: readonly Row[], style: Style): string {
  const shown = rows.flatMap(([name, value]) =>
    value ? [[`  ${style.dim(name)}`, shownValue(name, value)]] : [],
  );
  return `${alignRows(shown, ['left', 'left']).join('\n')}\n`;
}

/** A status is painted already; everything else may contain untrusted text. */
function shownValue(name: string, value: string): string {
  return name === 'status' ? value : safeLine(value);
}
