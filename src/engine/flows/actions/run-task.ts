import type { FlowAnswer, FlowCaller, FlowRejection, RunTask } from '../flow-action.js';
import type { FlowRecord } from '../flow-record.js';
import { newTaskId } from '../ids.js';
import { notifyOfTask } from '../notify/notify.js';
import { hasTaskEnded, type TaskRecord } from '../task-record.js';
import { writeTask } from '../tasks/end-task.js';
import { refusalOf } from '../transitions.js';
import { flowView, taskView } from '../views.js';
import type { Work } from '../work.js';
import {
  CANCEL_REQUESTED,
  done,
  NOT_FOUND,
  NOT_FOUND_REASON,
  refused,
  terminalText,
} from './answers.js';

/** `run_task`: puts a task into the queue of its flow, or notes one that runs elsewhere. */
export function runTask(work: Work, action: RunTask, caller: FlowCaller): FlowAnswer {
  const flow = work.flows.byId(action.flowId);
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
  const refusal = refusalOf(flow, 'run_task');
  // In this order here: a flow that was cancelled says so.
  if (flow.cancelRequestedAt !== null) return refuse('cancel_requested', CANCEL_REQUESTED);
  if (refusal !== undefined) return refuse(refusal, terminalText(flow));
  const task = sameRun(work, flow, action) ?? addTask(work, flow, action);
  return done({ created: true, flow: flowView(flow), task: taskView(task) });
}

function addTask(work: Work, flow: FlowRecord, action: RunTask): TaskRecord {
  const notifyPolicy = action.notifyPolicy ?? flow.notifyPolicy;
  const isTold = notifyPolicy !== 'silent' && work.policy.notifies;
  const added = work.tasks.insert({
    taskId: newTaskId(work.nowMs),
    flowSeq: flow.seq,
    parentFlowId: flow.flowId,
    ownerKey: flow.ownerKey,
    revision: 0,
    runtime: action.runtime,
    scopeKind: 'session',
    task: action.task,
    deliveryStatus: isTold ? 'pending' : 'not_applicable',
    notifyPolicy,
    sourceId: action.sourceId ?? null,
    childSessionKey: action.childSessionKey ?? null,
    parentTaskId: action.parentTaskId ?? null,
    agentId: action.agentId ?? null,
    runId: action.runId ?? null,
    label: action.label ?? null,
    error: null,
    terminalSummary: null,
    terminalOutcome: null,
    resultJson: null,
    endedAt: null,
    cleanupAfter: null,
    nextRunAt: null,
    cancelRequestedAt: null,
    leaseHash: null,
    leaseOwner: null,
    leaseExpiresAt: null,
    ...beginning(work, action),
  });
  work.changes.push({ type: 'task', task: added });
  if (added.status === 'running') notifyOfTask(work, added, 'task.started');
  return added;
}

type Beginning = Pick<
  TaskRecord,
  'attempts' | 'createdAt' | 'lastEventAt' | 'progressSummary' | 'startedAt' | 'status'
>;

/** A task that runs elsewhere may have begun before this call; it was made no later than that. */
function beginning({ nowMs }: Work, action: RunTask): Beginning {
  if (action.status !== 'running') {
    return {
      status: 'queued',
      attempts: 0,
      createdAt: nowMs,
      startedAt: null,
      lastEventAt: null,
      progressSummary: null,
    };
  }
  const startedAt = Math.min(action.startedAt ?? nowMs, nowMs);
  return {
    status: 'running',
    attempts: 1,
    createdAt: startedAt,
    startedAt,
    lastEventAt: Math.min(Math.max(action.lastEventAt ?? startedAt, startedAt), nowMs),
    progressSummary: action.progressSummary ?? null,
  };
}

const METADATA = ['label', 'agentId', 'sourceId', 'parentTaskId', 'childSessionKey'] as const;

/** The task that was made for this run already, with what this call adds to it. */
function sameRun(work: Work, flow: FlowRecord, action: RunTask): TaskRecord | undefined {
  if (action.runId === undefined) return undefined;
  const task = work.tasks.ofRun(flow.seq, action.runId);
  if (task === undefined || task.runtime !== action.runtime) return undefined;
  if (hasTaskEnded(task)) return task;
  const merged = { ...task, revision: task.revision + 1 };
  for (const field of METADATA) {
    const before = task[field];
    const given = action[field] ?? null;
    merged[field] = action.preferMetadata === true ? (given ?? before) : (before ?? given);
  }
  const isSame = METADATA.every((field) => merged[field] === task[field]);
  if (isSame) return task;
  writeTask(work, merged);
  return merged;
}
