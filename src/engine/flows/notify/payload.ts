import type { FlowRecord } from '../flow-record.js';
import { fromJsonText, type JsonObject } from '../json.js';
import type { TaskRecord, TaskStatus } from '../task-record.js';
import { flowView, taskView } from '../views.js';
import type { NotificationKind } from './notification-record.js';

/** What is sent to whoever is notified. */
export interface NotificationPayload {
  /** The same for every try. */
  readonly id: string;
  readonly type: NotificationKind;
  /** When it happened, epoch milliseconds. */
  readonly createdAt: number;
  /** The session that owns the flow: whom it is for. */
  readonly sessionKey: string;
  /** One line for people. */
  readonly text: string;
  /** The flow, or the flow of the task, as it was then. */
  readonly flow?: JsonObject;
  readonly task?: JsonObject;
}

/** About a flow. */
export function flowPayload(
  kind: NotificationKind,
  id: string,
  flow: FlowRecord,
  nowMs: number,
): NotificationPayload {
  const end = kind === 'flow.ended' ? `Flow ${flow.status}` : `Flow is ${flow.status}`;
  const why = flow.blockedSummary ?? '';
  return {
    id,
    type: kind,
    createdAt: nowMs,
    sessionKey: flow.ownerKey,
    text: sentence(`${end}: ${shortTitle(flow.goal)}.`, why),
    flow: flowView(flow),
  };
}

/** About a task. What its worker handed back is in `task.result`. */
export function taskPayload(
  kind: NotificationKind,
  id: string,
  task: TaskRecord,
  nowMs: number,
): NotificationPayload {
  const result = task.resultJson === null ? {} : { result: fromJsonText(task.resultJson) };
  return {
    id,
    type: kind,
    createdAt: nowMs,
    sessionKey: task.ownerKey,
    text: taskText(kind, task),
    task: { ...taskView(task), ...result },
  };
}

const ENDS: Readonly<Record<TaskStatus, string>> = {
  queued: 'queued',
  running: 'running',
  succeeded: 'done',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'cancelled',
  lost: 'lost',
};

const RUN_ID_CHARS = 8;

function taskText(kind: NotificationKind, task: TaskRecord): string {
  const title = shortTitle(task.label ?? task.task);
  const run = task.runId === null ? '' : ` (run ${task.runId.slice(0, RUN_ID_CHARS)})`;
  switch (kind) {
    case 'task.progress':
      return sentence(`Background task: ${title}${run}.`, task.progressSummary ?? '');
    case 'task.started':
      return `Background task started: ${title}${run}.`;
    case 'task.queued':
      return sentence(`Background task waits for another try: ${title}${run}.`, task.error ?? '');
    default: {
      const end = task.terminalOutcome === 'blocked' ? 'blocked' : ENDS[task.status];
      const summary = task.terminalSummary ?? task.error ?? '';
      return sentence(`Background task ${end}: ${title}${run}.`, summary);
    }
  }
}

function sentence(start: string, rest: string): string {
  return rest === '' ? start : `${start} ${rest}`;
}

const TITLE_CHARS = 120;

function shortTitle(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1)}…`;
}
