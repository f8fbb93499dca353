import type { FlowRecord, FlowStatus } from '../../engine/flow-model/flow-record.js';
import type { PauseRecord, TaskRecord, TaskStatus } from '../../engine/flow-model/task-record.js';
import type { FlowEntry, Flows } from '../../engine/flows/index.js';
import { formatClock, formatRelativeTime } from '../../engine/support/format.js';
import type { ListColumn } from '../components/list.js';
import type { ListItem } from '../components/list-state.js';
import { fitEnd } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style, View } from '../style.js';

/** A row in a list of flows or tasks; cells are safe to show, and the last can have any length. */
export interface ListRow extends ListItem {
  readonly cells: readonly string[];
  readonly status: FlowStatus | TaskStatus;
  readonly hasEnded: boolean;
  /** Changes whenever the row does. */
  readonly version: string;
}

interface RowColumn extends Pick<ListColumn<ListRow>, 'dropOrder' | 'title'> {
  /** A status is coloured; an age is left out of a line that starts with the time. */
  readonly content?: 'age' | 'number' | 'status';
}

/** The columns of the lists, in the order of the cells of a row. */
export const ROW_COLUMNS: Readonly<Record<'flows' | 'tasks', readonly RowColumn[]>> = {
  flows: [
    { title: 'flow' },
    { title: 'status', content: 'status' },
    { title: 'rev', content: 'number', dropOrder: 3 },
    { title: 'tasks', dropOrder: 2 },
    { title: 'updated', content: 'age', dropOrder: 4 },
    { title: 'session', dropOrder: 1 },
    { title: 'goal' },
  ],
  tasks: [
    { title: 'task' },
    { title: 'flow', dropOrder: 1 },
    { title: 'runtime', dropOrder: 3 },
    { title: 'status', content: 'status' },
    { title: 'tries', content: 'number', dropOrder: 2 },
    { title: 'changed', content: 'age', dropOrder: 4 },
    { title: 'what' },
  ],
};

/** A flow in a list. */
export function flowRow({ flow, summary }: FlowEntry, nowMs: number): ListRow {
  const tasks = summary.total === 0 ? '' : `${summary.total - summary.active}/${summary.total}`;
  const note = flow.blockedSummary ?? flow.currentStep;
  const text = [firstLine(flow.goal), ...(note ? [firstLine(note)] : [])].join(' · ');
  const cells = [
    flow.flowId.slice(0, ID_CHARS),
    statusWords(flow),
    String(flow.revision),
    tasks,
    formatRelativeTime(flow.updatedAt, nowMs),
    safeLine(flow.ownerKey),
    safeLine(text),
  ];
  return {
    id: flow.flowId,
    text: [flow.flowId, ...cells].join(' '),
    cells,
    status: flow.status,
    hasEnded: flow.endedAt !== null,
    version: `${flow.flowId}.${flow.revision}.${tasks}`,
  };
}

/** A task in a list. */
export function taskRow(task: TaskRecord, nowMs: number): ListRow {
  const note = task.terminalSummary ?? task.error ?? task.progressSummary;
  const text = [firstLine(task.label ?? task.task), ...(note ? [firstLine(note)] : [])].join(' · ');
  const cells = [
    task.taskId.slice(0, ID_CHARS),
    task.parentFlowId.slice(0, ID_CHARS),
    task.runtime,
    statusWords(task),
    String(task.attempts),
    formatRelativeTime(task.lastEventAt ?? task.createdAt, nowMs),
    safeLine(text),
  ];
  return {
    id: task.taskId,
    text: [task.taskId, task.parentFlowId, ...cells].join(' '),
    cells,
    status: task.status,
    hasEnded: task.endedAt !== null,
    version: `${task.taskId}.${task.revision}`,
  };
}

/** The state of a flow or task that is waited for, on one line. */
export function waitWords(record: FlowRecord | TaskRecord, style: Style): string {
  const detail =
    'taskId' in record
      ? (record.terminalSummary ?? record.error ?? record.progressSummary)
      : (record.blockedSummary ?? record.currentStep);
  const status = statusPaint(record.status, style)(statusWords(record));
  const note = detail === null ? [] : [safeLine(firstLine(detail))];
  return [status, ...note].join('  ');
}

function statusWords({ status, cancelRequestedAt, endedAt }: FlowRecord | TaskRecord): string {
  return cancelRequestedAt !== null && endedAt === null ? `${status}, cancelling` : status;
}

/** Usually enough of an ID to be unique. */
export const ID_CHARS = 8;

/** The colour of a status; it only repeats the word. */
export function statusPaint(status: FlowStatus | TaskStatus, style: Style): Paint {
  return style[STATUS_PAINTS[status]];
}

const STATUS_PAINTS: Readonly<Record<FlowStatus | TaskStatus, keyof Style>> = {
  running: 'accent',
  succeeded: 'ok',
  failed: 'fault',
  timed_out: 'fault',
  lost: 'fault',
  blocked: 'warning',
  waiting: 'warning',
  cancelled: 'dim',
  queued: 'plain',
};

/** The first line of a text, for a line of a list. */
export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

/** A changed flow or task as one line. */
export function watchLine(
  kind: 'flows' | 'tasks',
  { cells, status }: ListRow,
  nowMs: number,
  style: Style,
): string {
  const parts = cells.flatMap((cell, at) => {
    const content = ROW_COLUMNS[kind][at]?.content;
    if (content === 'age' || cell === '') return [];
    return content === 'status' ? [statusPaint(status, style)(cell)] : [cell];
  });
  return [style.dim(formatClock(nowMs)), ...parts].join('  ');
}

/** The runtimes that are paused, one per line. @param columns cut lines to this width */
export function pauseLines(
  pauses: readonly PauseRecord[],
  { style, nowMs }: Pick<View, 'nowMs' | 'style'>,
  columns = Number.POSITIVE_INFINITY,
): readonly string[] {
  return pauses.map(({ runtime, reason, pausedAt }) => {
    const why = reason === null ? '' : `: ${safeLine(reason)}`;
    const line = `${runtime} tasks paused ${formatRelativeTime(pausedAt, nowMs)}${why}`;
    return style.warning(fitEnd(line, columns));
  });
}

/** {@link pauseLines} as text; nothing if none is paused. */
export function renderPauses(
  pauses: readonly PauseRecord[],
  options: Pick<View, 'nowMs' | 'style'>,
): string {
  return pauseLines(pauses, options)
    .map((line) => `${line}\n`)
    .join('');
}

/** The result of `svc task resume`: what is claimed again, and what is still paused. */
export function renderResumed(
  before: readonly PauseRecord[],
  paused: readonly PauseRecord[],
  options: Pick<View, 'nowMs' | 'style'>,
): string {
  if (before.length === 0) return 'no tasks are paused\n';
  const resumed = before.filter(({ runtime }) => paused.every((one) => one.runtime !== runtime));
  const lines = resumed.map(({ runtime }) => `${runtime} tasks are claimed again\n`);
  return `${lines.join('')}${renderPauses(paused, options)}`;
}

/** The result of cancelling a flow. */
export function cancelledFlowWords({
  state,
  flow,
}: Awaited<ReturnType<Flows['operator']['cancelFlow']>>): string {
  return state === 'cancelled'
    ? `cancelled flow ${flow.flowId}`
    : `flow ${flow.flowId} ends when its running tasks have stopped`;
}

/** The result of cancelling a task. */
export function cancelledTaskWords({ status, taskId }: TaskRecord): string {
  return status === 'cancelled'
    ? `cancelled task ${taskId}`
    : `task ${taskId} ends when its worker has stopped`;
}
