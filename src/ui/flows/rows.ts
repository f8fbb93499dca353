import type { FlowStatus, TaskRecord, TaskStatus } from '../../engine/flows/index.js';
import type { FlowEntry } from '../../engine/flows/operator-flows.js';
import { formatRelativeTime } from '../format.js';
import { safeLine } from '../safe-text.js';
import { firstLine, ID_CHARS } from './words.js';

/** A row of a list of flows or tasks: cells that are safe to show, the last one of any length. */
export interface ListRow {
  readonly cells: readonly string[];
  readonly status: FlowStatus | TaskStatus;
  /** Differs from before when the row does. */
  readonly version: string;
}

/** What a list shows of flows. */
export const FLOW_TITLES = [
  'flow',
  'status',
  'rev',
  'tasks',
  'updated',
  'session',
  'goal',
] as const;
/** What a list shows of tasks. */
export const TASK_TITLES = [
  'task',
  'flow',
  'runtime',
  'status',
  'tries',
  'changed',
  'what',
] as const;
/** Which column the state stands in, in either list. */
export const STATUS_COLUMNS = { flows: 1, tasks: 3 } as const;

/** A flow in a list. */
export function flowRow({ flow, summary }: FlowEntry, nowMs: number): ListRow {
  const tasks = summary.total === 0 ? '' : `${summary.total - summary.active}/${summary.total}`;
  const note = flow.blockedSummary ?? flow.currentStep;
  const what = [firstLine(flow.goal), ...(note ? [firstLine(note)] : [])].join(' · ');
  const isCancelling = flow.cancelRequestedAt !== null && flow.endedAt === null;
  return {
    cells: [
      flow.flowId.slice(0, ID_CHARS),
      isCancelling ? `${flow.status}, cancelling` : flow.status,
      String(flow.revision),
      tasks,
      formatRelativeTime(flow.updatedAt, nowMs),
      safeLine(flow.ownerKey),
      safeLine(what),
    ],
    status: flow.status,
    version: `${flow.flowId}.${flow.revision}.${tasks}`,
  };
}

/** A task in a list. */
export function taskRow(task: TaskRecord, nowMs: number): ListRow {
  const said = task.terminalSummary ?? task.error ?? task.progressSummary;
  const what = [firstLine(task.label ?? task.task), ...(said ? [firstLine(said)] : [])].join(' · ');
  const isCancelling = task.cancelRequestedAt !== null && task.endedAt === null;
  return {
    cells: [
      task.taskId.slice(0, ID_CHARS),
      task.parentFlowId.slice(0, ID_CHARS),
      task.runtime,
      isCancelling ? `${task.status}, cancelling` : task.status,
      String(task.attempts),
      formatRelativeTime(task.lastEventAt ?? task.createdAt, nowMs),
      safeLine(what),
    ],
    status: task.status,
    version: `${task.taskId}.${task.revision}`,
  };
}
