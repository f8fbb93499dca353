import { type FlowRecord, hasFlowEnded } from '../flow-record.js';
import { hasTaskEnded, type TaskRecord } from '../task-record.js';
import type { Work } from '../work.js';
import type { NotificationKind } from './notification-record.js';
import { flowPayload, type NotificationPayload, taskPayload } from './payload.js';

/** Writes down what is to be told of a flow that came into another state. */
export function notifyOfFlow(work: Work, flow: FlowRecord): void {
  if (!work.policy.notifies || flow.notifyPolicy === 'silent') return;
  const hasEnded = hasFlowEnded(flow);
  if (!hasEnded && flow.notifyPolicy !== 'state_changes') return;
  const id = `${hasEnded ? 'flow-terminal' : 'flow-event'}:${flow.flowId}:${flow.revision}:${flow.status}`;
  const payload = flowPayload(hasEnded ? 'flow.ended' : 'flow.changed', id, flow, work.nowMs);
  write(work, payload, { flowId: flow.flowId, taskId: null });
}

/** Writes down what is to be told of a task. @returns whether anything is */
export function notifyOfTask(
  work: Work,
  task: TaskRecord,
  kind: Extract<NotificationKind, `task.${string}`>,
): boolean {
  if (!work.policy.notifies || task.notifyPolicy === 'silent') return false;
  const hasEnded = hasTaskEnded(task);
  if (!hasEnded && task.notifyPolicy !== 'state_changes') return false;
  const outcome = task.terminalOutcome === null ? '' : `:${task.terminalOutcome}`;
  const id = hasEnded
    ? `task-terminal:${task.taskId}:${task.revision}:${task.status}${outcome}`
    : `task-event:${task.taskId}:${task.revision}:${kind}`;
  const payload = taskPayload(kind, id, task, work.nowMs);
  write(work, payload, { flowId: task.parentFlowId, taskId: task.taskId });
  return true;
}

function write(
  work: Work,
  payload: NotificationPayload,
  of: {
    readonly flowId: FlowRecord['flowId'];
    readonly taskId: TaskRecord['taskId'] | null;
  },
): void {
  work.notifications.insert({
    notificationId: payload.id,
    kind: payload.type,
    ownerKey: payload.sessionKey,
    flowId: of.flowId,
    taskId: of.taskId,
    payload: JSON.stringify(payload),
    createdAt: work.nowMs,
    attempts: 0,
    nextAttemptAt: work.nowMs,
    settledAt: null,
    outcome: 'pending',
    lastError: null,
  });
  work.changes.push({ type: 'notification', id: payload.id });
}
