import type { JsonObject } from '../flow-model/fields.js';
import { type FlowRecord, flowView, hasFlowEnded } from '../flow-model/flow-record.js';
import type { NotificationKind, NotificationRecord } from '../flow-model/notification-record.js';
import { hasTaskEnded, type TaskRecord, taskViewWithResult } from '../flow-model/task-record.js';
import { withEllipsis } from '../support/text.js';
import type { FlowTx } from './flow-store.js';

type TaskEvent = Extract<NotificationKind, `task.${string}`>;

/** Records the notifications of a flow's new state, one for each target. */
export async function notifyOfFlow(tx: FlowTx, flow: FlowRecord): Promise<void> {
  if (tx.policy.targets.length === 0 || flow.notifyPolicy === 'silent') return;
  const hasEnded = hasFlowEnded(flow);
  if (!hasEnded && flow.notifyPolicy !== 'state_changes') return;
  const event = hasEnded ? `Flow ${flow.status}` : `Flow is ${flow.status}`;
  await recordNotifications(tx, async () => flow.routeId, {
    id: `${hasEnded ? 'flow-terminal' : 'flow-event'}:${flow.flowId}:${flow.revision}:${flow.status}`,
    type: hasEnded ? 'flow.ended' : 'flow.changed',
    subject: { ownerKey: flow.ownerKey, flowId: flow.flowId, taskId: null },
    text: sentence(`${event}: ${shortTitle(flow.goal)}.`, flow.blockedSummary),
    content: { flow: flowView(flow) },
  });
}

/** Records the notifications of a task's event, one for each target. @returns whether there are any */
export async function notifyOfTask(
  tx: FlowTx,
  task: TaskRecord,
  type: TaskEvent,
): Promise<boolean> {
  if (tx.policy.targets.length === 0 || task.notifyPolicy === 'silent') return false;
  const hasEnded = hasTaskEnded(task);
  if (!hasEnded && task.notifyPolicy !== 'state_changes') return false;
  const outcome = task.terminalOutcome === null ? '' : `:${task.terminalOutcome}`;
  const routeOf = async () => (await tx.flows.bySeq(task.flowSeq))?.routeId ?? null;
  return recordNotifications(tx, routeOf, {
    id: hasEnded
      ? `task-terminal:${task.taskId}:${task.revision}:${task.status}${outcome}`
      : `task-event:${task.taskId}:${task.revision}:${type}`,
    type,
    subject: { ownerKey: task.ownerKey, flowId: task.parentFlowId, taskId: task.taskId },
    text: taskText(type, task),
    content: { task: taskViewWithResult(task) },
  });
}

interface Notification {
  /** The same for every attempt. */
  readonly id: string;
  readonly type: NotificationKind;
  readonly subject: Pick<NotificationRecord, 'flowId' | 'ownerKey' | 'taskId'>;
  /** One line for people. */
  readonly text: string;
  /** The flow or the task at that time. */
  readonly content: { readonly flow: JsonObject } | { readonly task: JsonObject };
}

/** @param routeOf the route that created the flow; asked only where it matters */
async function recordNotifications(
  tx: FlowTx,
  routeOf: () => Promise<string | null>,
  notification: Notification,
): Promise<boolean> {
  const { nowMs, notifications, changes } = tx;
  const { id, type, subject, text, content } = notification;
  const targets = await targetsOf(tx, type, routeOf);
  if (targets.length === 0) return false;
  const payload = { id, type, createdAt: nowMs, sessionKey: subject.ownerKey, text, ...content };
  const row = {
    notificationId: id,
    kind: type,
    ...subject,
    payload: JSON.stringify(payload),
    createdAt: nowMs,
    attempts: 0,
    retries: 0,
    nextAttemptAt: nowMs,
    settledAt: null,
    outcome: 'pending',
    lastError: null,
  } as const;
  await Promise.all(targets.map((target) => notifications.insert({ ...row, target })));
  changes.push({ type: 'notification' });
  return true;
}

async function targetsOf(
  { policy }: FlowTx,
  type: NotificationKind,
  routeOf: () => Promise<string | null>,
): Promise<readonly string[]> {
  const matching = policy.targets.filter(({ kinds }) => kinds?.includes(type) ?? true);
  const isRouted = matching.some(({ routes }) => routes !== undefined);
  const route = isRouted ? await routeOf() : null;
  return matching
    .filter(({ routes }) => routes === undefined || (route !== null && routes.includes(route)))
    .map(({ id }) => id);
}

const RUN_ID_CHARS = 8;

function taskText(type: TaskEvent, task: TaskRecord): string {
  const run = task.runId === null ? '' : ` (run ${task.runId.slice(0, RUN_ID_CHARS)})`;
  const title = `${shortTitle(task.label ?? task.task)}${run}.`;
  switch (type) {
    case 'task.progress':
      return sentence(`Background task: ${title}`, task.progressSummary);
    case 'task.started':
      return `Background task started: ${title}`;
    case 'task.queued':
      return sentence(`Background task is queued for a retry: ${title}`, task.error);
    case 'task.ended': {
      const words = task.status === 'succeeded' ? 'done' : task.status.replace('_', ' ');
      const end = task.terminalOutcome === 'blocked' ? 'blocked' : words;
      return sentence(`Background task ${end}: ${title}`, task.terminalSummary ?? task.error);
    }
  }
}

function sentence(start: string, rest: string | null): string {
  return rest === null || rest === '' ? start : `${start} ${rest}`;
}

const TITLE_CHARS = 120;

function shortTitle(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return withEllipsis(line, TITLE_CHARS);
}
