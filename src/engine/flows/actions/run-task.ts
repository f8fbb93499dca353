import type { RunTask, StartFlow } from '../../flow-model/action-schemas.js';
import { type FlowRecord, flowView, hasFlowEnded } from '../../flow-model/flow-record.js';
import { newTaskId } from '../../flow-model/ids.js';
import {
  EMPTY_TASK,
  hasTaskEnded,
  TASK_METADATA,
  type TaskRecord,
  taskView,
} from '../../flow-model/task-record.js';
import {
  CANCEL_REQUESTED,
  done,
  type FlowAnswer,
  type FlowCaller,
  type FlowRejection,
  NOT_FOUND,
  NOT_FOUND_REASON,
  refused,
  terminalText,
} from '../flow-action.js';
import type { FlowTx } from '../flow-store.js';
import { recordTask } from '../history.js';
import { notifyOfTask } from '../notify.js';
import { changeTask, firstDeliveryStatus } from '../tasks/change-task.js';
import { addFlow, type JsonTexts } from './change-flow.js';

/** `run_task`: queues a task, or records one that runs elsewhere. */
export async function runTask(
  tx: FlowTx,
  action: RunTask,
  caller: FlowCaller,
): Promise<FlowAnswer> {
  const flow = await tx.flows.byId(action.flowId);
  if (flow === undefined || flow.ownerKey !== caller.sessionKey) {
    return refused('not_found', NOT_FOUND, {
      found: false,
      created: false,
      reason: NOT_FOUND_REASON,
    });
  }
  const refuse = (code: FlowRejection, reason: string): FlowAnswer =>
    refused(code, reason, { found: true, created: false, reason, flow: flowView(flow) });
  if (flow.syncMode !== 'managed') {
    return refuse('not_managed', 'Flow does not accept managed child tasks.');
  }
  // Here the request comes first: a cancelled flow reports that it was cancelled.
  if (flow.cancelRequestedAt !== null) return refuse('cancel_requested', CANCEL_REQUESTED);
  if (hasFlowEnded(flow)) return refuse('terminal', terminalText(flow));
  const { parentTaskId } = action;
  // Nobody learns of tasks of another session, or adds tasks below them.
  if (parentTaskId !== undefined && (await tx.tasks.ownerOf(parentTaskId)) !== flow.ownerKey) {
    return refuse('not_found', 'Parent task not found.');
  }
  const task = (await mergeIntoSameRun(tx, flow, action)) ?? (await addTask(tx, flow, action));
  return done({ created: true, flow: flowView(flow), task: taskView(task) });
}

/** A flow with its first task. Nothing refuses a task in a new flow. */
export async function startFlow(
  tx: FlowTx,
  { flow, task }: StartFlow,
  caller: FlowCaller,
  texts: JsonTexts,
): Promise<FlowAnswer> {
  const added = await addFlow(tx, flow, caller, texts);
  return runTask(tx, { ...task, flowId: added.flowId }, caller);
}

async function addTask(tx: FlowTx, flow: FlowRecord, action: RunTask): Promise<TaskRecord> {
  const notifyPolicy = action.notifyPolicy ?? flow.notifyPolicy;
  const added = await tx.tasks.insert({
    ...EMPTY_TASK,
    taskId: newTaskId(tx.nowMs),
    flowSeq: flow.seq,
    parentFlowId: flow.flowId,
    ownerKey: flow.ownerKey,
    revision: 0,
    runtime: action.runtime,
    scopeKind: 'session',
    task: action.task,
    deliveryStatus: firstDeliveryStatus(tx, notifyPolicy),
    notifyPolicy,
    sourceId: action.sourceId ?? null,
    childSessionKey: action.childSessionKey ?? null,
    parentTaskId: action.parentTaskId ?? null,
    agentId: action.agentId ?? null,
    runId: action.runId ?? null,
    label: action.label ?? null,
    ...progressOf(tx, action),
  });
  tx.changes.push({ type: 'task', task: added });
  recordTask(tx, undefined, added);
  if (added.status === 'running') await notifyOfTask(tx, added, 'task.started');
  return added;
}

/** A task that runs elsewhere can have started before this call; it was created no later than that. */
function progressOf({ nowMs }: FlowTx, action: RunTask) {
  if (action.status !== 'running') {
    return { status: 'queued', attempts: 0, createdAt: nowMs } as const;
  }
  const startedAt = Math.min(action.startedAt ?? nowMs, nowMs);
  return {
    status: 'running' as const,
    attempts: 1,
    createdAt: startedAt,
    startedAt,
    lastEventAt: Math.min(Math.max(action.lastEventAt ?? startedAt, startedAt), nowMs),
    progressSummary: action.progressSummary ?? null,
  };
}

/** The existing task of this run, with what this call adds to it. */
async function mergeIntoSameRun(
  tx: FlowTx,
  flow: FlowRecord,
  action: RunTask,
): Promise<TaskRecord | undefined> {
  if (action.runId === undefined) return undefined;
  const task = await tx.tasks.ofRun(flow.seq, action.runId, action.runtime);
  if (task === undefined || hasTaskEnded(task)) return task;
  const merged = { ...task };
  for (const field of TASK_METADATA) {
    const before = task[field];
    const value = action[field] ?? null;
    merged[field] = action.preferMetadata === true ? (value ?? before) : (before ?? value);
  }
  const isSame = TASK_METADATA.every((field) => merged[field] === task[field]);
  return isSame ? task : changeTask(tx, task, merged);
}
