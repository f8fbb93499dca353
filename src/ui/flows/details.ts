import type { FlowRecord } from '../../engine/flow-model/flow-record.js';
import type { HistoryEntry } from '../../engine/flow-model/history-record.js';
import type { TaskRecord } from '../../engine/flow-model/task-record.js';
import type { FlowDetails, FlowEntry, FlowHistory, TaskDetails } from '../../engine/flows/index.js';
import { formatCount, formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import type { PaneLine } from '../components/pane.js';
import { safeLine, safeLines } from '../safe-text.js';
import type { Style, View } from '../style.js';
import { type Field, paneFields, renderFields, renderTable, right } from '../table.js';
import { renderTaskList } from './list.js';
import { ID_CHARS, statusPaint } from './rows.js';

/** All fields of a flow, its tasks, and its newest changes. */
export function renderFlow({ flow, summary, tasks, history }: FlowDetails, options: View): string {
  const head = options.style.bold(`flow ${flow.flowId}`);
  const fields = renderFields(flowFields({ flow, summary }, options), options.style);
  const taskList =
    tasks.length === 0
      ? ''
      : `\n${renderTaskList({ entries: tasks, total: tasks.length }, options)}`;
  const changes = renderLastChanges(history, flow.flowId, options);
  return `${head}\n${fields}${taskList}${changes}`;
}

/** All fields of a flow, its tasks and its changes, for a pane. */
export function flowPaneLines(
  { flow, summary, tasks, history }: FlowDetails,
  style: Style,
  nowMs: number,
): readonly PaneLine[] {
  return [
    { text: `flow ${flow.flowId}`, paint: style.bold },
    ...paneFields(flowFields({ flow, summary }, { style, nowMs })),
    ...(tasks.length === 0 ? [] : [{ text: '' }, { text: 'tasks', paint: style.bold }]),
    ...tasks.map(taskLine),
    ...historyLines(history, style),
  ];
}

function taskLine(record: TaskRecord): PaneLine {
  const { taskId, status, task, label, terminalSummary, error } = record;
  const parts = [status, label ?? task, terminalSummary ?? error].filter(Boolean);
  return { label: taskId.slice(0, ID_CHARS), text: parts.join(' · ') };
}

type FieldView = Pick<View, 'nowMs' | 'style'>;

function flowFields({ flow, summary }: FlowEntry, { style, nowMs }: FieldView): readonly Field[] {
  return [
    ['status', flow.status, statusPaint(flow.status, style)],
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
    ...timeFields(flow, nowMs),
    ['tasks', `${formatCountOf(summary.total, 'task')}, ${formatCount(summary.active)} active`],
  ];
}

/** All fields of a task, and its newest changes. */
export function renderTask({ task, flow, history }: TaskDetails, options: View): string {
  const head = options.style.bold(`task ${task.taskId}`);
  const fields = renderFields(taskFields(task, flow, options), options.style);
  const changes = renderLastChanges(history, task.parentFlowId, options);
  return `${head}\n${fields}${changes}`;
}

/**
 * A claimed task for a worker in a shell.
 *
 * @param options `escape` escapes control characters, for a terminal; a pipe gets the text unchanged
 */
export function renderClaim(
  { taskId, task }: TaskRecord,
  leaseToken: string,
  options: { readonly escape: boolean },
): string {
  return `task ${taskId}\nlease token ${leaseToken}\n\n${options.escape ? safeLines(task) : task}`;
}

/** All fields of a task and its changes, for a pane. */
export function taskPaneLines(
  { task, flow, history }: TaskDetails,
  style: Style,
  nowMs: number,
): readonly PaneLine[] {
  return [
    { text: `task ${task.taskId}`, paint: style.bold },
    ...paneFields(taskFields(task, flow, { style, nowMs })),
    ...historyLines(history, style),
  ];
}

function taskFields(
  task: TaskRecord,
  flow: FlowRecord | undefined,
  { style, nowMs }: FieldView,
): readonly Field[] {
  return [
    ['status', task.status, statusPaint(task.status, style)],
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
    ...timeFields(task, nowMs),
    ['lease until', isoTime(task.leaseExpiresAt)],
    ['next run', isoTime(task.nextRunAt)],
  ];
}

function timeFields(
  record: Pick<FlowRecord, 'cancelRequestedAt' | 'createdAt' | 'endedAt'> & {
    readonly startedAt?: number | null;
  },
  nowMs: number,
): readonly Field[] {
  return [
    ['created', agoWords(record.createdAt, nowMs)],
    ['started', agoWords(record.startedAt, nowMs)],
    ['cancel requested', agoWords(record.cancelRequestedAt, nowMs)],
    ['ended', agoWords(record.endedAt, nowMs)],
  ];
}

/** A time in the past, and how long ago it was. */
export function agoWords(ms: number | null | undefined, nowMs: number): string | undefined {
  return ms == null ? undefined : `${formatRelativeTime(ms, nowMs)}, ${isoTime(ms)}`;
}

/** A time, if there is one. */
export function isoTime(ms: number | null | undefined): string | undefined {
  return ms == null ? undefined : new Date(ms).toISOString();
}

/** What happened to a flow and its tasks, oldest first. */
export function renderHistory(
  { flow, entries, startsAt, gapAfter }: FlowHistory,
  options: View,
): string {
  const { style } = options;
  const notes = [
    ...(entries[0]?.actorKind === 'unknown' ? [startText(startsAt)] : []),
    ...(gapAfter === undefined
      ? []
      : [`only the first ${gapAfter} and the newest changes are kept; others may be missing`]),
  ].map((text) => `${style.dim(text)}\n`);
  const changes = entries.length === 0 ? 'no changes\n' : renderChanges(entries, options);
  return `${style.bold(`flow ${flow.flowId}`)}\n${notes.join('')}${changes}`;
}

function startText(startsAt: number | undefined): string {
  const when = startsAt === undefined ? 'with the next change' : `at ${isoSecond(startsAt)}`;
  return `history starts ${when}; of earlier changes, only some are known`;
}

/** The newest changes, for the end of other output. */
function renderLastChanges(
  entries: readonly HistoryEntry[],
  flowId: string,
  options: View,
): string {
  if (entries.length === 0) return '';
  const last = entries.slice(-CHANGES_SHOWN);
  const more = options.hintFor(
    `"svc flow history ${flowId.slice(0, ID_CHARS)}" shows all ${formatCount(entries.length)} changes`,
  );
  const rest = last.length < entries.length ? `${options.style.dim(more)}\n` : '';
  return `\n${renderChanges(last, options)}${rest}`;
}

const CHANGES_SHOWN = 5;

/** All changes, newest first, for a pane. */
function historyLines(entries: readonly HistoryEntry[], style: Style): readonly PaneLine[] {
  if (entries.length === 0) return [];
  const lines = entries.toReversed().map((entry): PaneLine => {
    const task = entry.taskId === null ? [] : [`task ${entry.taskId.slice(0, ID_CHARS)}`];
    const change = [changeText(entry), ...(entry.note === null ? [] : [entry.note])].join(': ');
    return { text: [isoSecond(entry.at), actorText(entry), ...task, change].join('  ') };
  });
  return [{ text: '' }, { text: 'changes, newest first', paint: style.bold }, ...lines];
}

function renderChanges(entries: readonly HistoryEntry[], { style, columns }: View): string {
  const rows = entries.map((entry) => [
    isoSecond(entry.at),
    actorText(entry),
    entry.taskId?.slice(0, ID_CHARS) ?? '',
    entry.revision === null ? '' : String(entry.revision),
    [changeText(entry), ...(entry.note === null ? [] : [safeLine(entry.note)])].join(': '),
  ]);
  return renderTable(CHANGE_COLUMNS, rows, { style, columns });
}

const CHANGE_COLUMNS = [
  'when',
  { title: 'by', dropOrder: 3 },
  { title: 'task', dropOrder: 2 },
  { ...right('rev'), dropOrder: 1 },
  'change',
];

/** Who made a change, in words that are safe to show. */
function actorText({ actorKind, actorName }: HistoryEntry): string {
  return actorName === null ? actorKind : `${actorKind} ${safeLine(actorName)}`;
}

/** What a change did, without its note. */
function changeText({ event, fromStatus, toStatus }: HistoryEntry): string {
  if (event.startsWith('notification.')) return event.replace('.', ' ');
  const eventName = event.slice(event.indexOf('.') + 1).replaceAll('_', ' ');
  if (toStatus === null) return eventName;
  const isNamed =
    eventName === 'created' || eventName === 'progress' || eventName === 'cancel requested';
  const move = fromStatus === null ? toStatus : `${fromStatus} → ${toStatus}`;
  return isNamed ? `${eventName}, ${move}` : move;
}

function isoSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;
}
