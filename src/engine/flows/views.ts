import type { FlowRecord } from './flow-record.js';
import { fromJsonText, type JsonObject, type JsonValue } from './json.js';
import {
  ACTIVE_TASK_STATUSES,
  type TaskRecord,
  type TaskRuntime,
  type TaskStatus,
} from './task-record.js';

/**
 * A flow as an outside system sees it: nothing of its owner, times in epoch milliseconds, what is
 * always there first, and no key for what is empty. A JSON null that was set is there as null.
 */
export function flowView(flow: FlowRecord): JsonObject {
  const view: Record<string, JsonValue> = {
    flowId: flow.flowId,
    syncMode: flow.syncMode,
    revision: flow.revision,
    status: flow.status,
    notifyPolicy: flow.notifyPolicy,
    goal: flow.goal,
    createdAt: flow.createdAt,
    updatedAt: flow.updatedAt,
  };
  if (flow.controllerId) view['controllerId'] = flow.controllerId;
  if (flow.currentStep) view['currentStep'] = flow.currentStep;
  if (flow.blockedTaskId) view['blockedTaskId'] = flow.blockedTaskId;
  if (flow.blockedSummary) view['blockedSummary'] = flow.blockedSummary;
  if (flow.stateJson !== null) view['stateJson'] = fromJsonText(flow.stateJson);
  if (flow.waitJson !== null) view['waitJson'] = fromJsonText(flow.waitJson);
  if (flow.cancelRequestedAt !== null) view['cancelRequestedAt'] = flow.cancelRequestedAt;
  if (flow.endedAt !== null) view['endedAt'] = flow.endedAt;
  return view;
}

const TASK_OPTIONAL = [
  'sourceId',
  'childSessionKey',
  'parentFlowId',
  'parentTaskId',
  'agentId',
  'runId',
  'label',
  'error',
  'progressSummary',
  'terminalSummary',
  'terminalOutcome',
  'startedAt',
  'endedAt',
  'lastEventAt',
  'cleanupAfter',
] as const satisfies readonly (keyof TaskRecord)[];

/** A task as an outside system sees it; by the rules of {@link flowView}, and no leases. */
export function taskView(task: TaskRecord): JsonObject {
  const view: Record<string, JsonValue> = {
    taskId: task.taskId,
    runtime: task.runtime,
    scopeKind: task.scopeKind,
    task: task.task,
    status: task.status,
    deliveryStatus: task.deliveryStatus,
    notifyPolicy: task.notifyPolicy,
    createdAt: task.createdAt,
  };
  for (const field of TASK_OPTIONAL) {
    const value = task[field];
    if (value !== null && value !== '') view[field] = value;
  }
  return view;
}

/** How many tasks of a flow are in which state, and run where. */
export interface TaskSummary {
  readonly total: number;
  readonly active: number;
  readonly terminal: number;
  readonly failures: number;
  readonly byStatus: Readonly<Record<TaskStatus, number>>;
  readonly byRuntime: Readonly<Record<TaskRuntime, number>>;
}

/** A count of tasks that share a state and a runtime. */
export interface TaskCount {
  readonly status: TaskStatus;
  readonly runtime: TaskRuntime;
  readonly count: number;
}

const FAILURES: readonly TaskStatus[] = ['failed', 'timed_out', 'lost'];
const ACTIVE: readonly TaskStatus[] = ACTIVE_TASK_STATUSES;

/** Adds up counts. */
export function summarizeTasks(counts: readonly TaskCount[]): TaskSummary {
  const sum = (fits: (count: TaskCount) => boolean): number =>
    counts.reduce((total, entry) => total + (fits(entry) ? entry.count : 0), 0);
  const active = sum(({ status }) => ACTIVE.includes(status));
  const total = sum(() => true);
  const ofStatus = (status: TaskStatus): number => sum((entry) => entry.status === status);
  const ofRuntime = (runtime: TaskRuntime): number => sum((entry) => entry.runtime === runtime);
  return {
    total,
    active,
    terminal: total - active,
    failures: sum(({ status }) => FAILURES.includes(status)),
    byStatus: {
      queued: ofStatus('queued'),
      running: ofStatus('running'),
      succeeded: ofStatus('succeeded'),
      failed: ofStatus('failed'),
      timed_out: ofStatus('timed_out'),
      cancelled: ofStatus('cancelled'),
      lost: ofStatus('lost'),
    },
    byRuntime: {
      subagent: ofRuntime('subagent'),
      acp: ofRuntime('acp'),
      cli: ofRuntime('cli'),
      cron: ofRuntime('cron'),
    },
  };
}
