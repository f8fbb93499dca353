import type { FlowFinding, TaskFinding } from './audit/finding.js';
import type { FlowRecord } from './flow-record.js';
import { fromJsonText } from './json.js';
import type { FlowEntry, Page } from './operator-flows.js';
import type {
  FlowListOutput,
  FlowOutput,
  FlowShowOutput,
  PrintedTask,
  TaskListOutput,
  TaskShowOutput,
} from './output-schemas.js';
import type { TaskRecord } from './task-record.js';

/** A flow as operators see it. */
export function flowOutput(flow: FlowRecord): FlowOutput {
  return {
    flowId: flow.flowId,
    sessionKey: flow.ownerKey,
    controllerId: flow.controllerId,
    syncMode: flow.syncMode,
    status: flow.status,
    revision: flow.revision,
    notifyPolicy: flow.notifyPolicy,
    goal: flow.goal,
    currentStep: flow.currentStep,
    blockedTaskId: flow.blockedTaskId,
    blockedSummary: flow.blockedSummary,
    createdAt: iso(flow.createdAt),
    updatedAt: iso(flow.updatedAt),
    cancelRequestedAt: maybeIso(flow.cancelRequestedAt),
    endedAt: maybeIso(flow.endedAt),
  };
}

/** A task as operators and workers see it; without its lease's token. */
export function taskOutput(task: TaskRecord): PrintedTask {
  return {
    taskId: task.taskId,
    flowId: task.parentFlowId,
    sessionKey: task.ownerKey,
    runtime: task.runtime,
    task: task.task,
    status: task.status,
    label: task.label,
    agentId: task.agentId,
    runId: task.runId,
    childSessionKey: task.childSessionKey,
    sourceId: task.sourceId,
    parentTaskId: task.parentTaskId,
    notifyPolicy: task.notifyPolicy,
    deliveryStatus: task.deliveryStatus,
    attempts: task.attempts,
    nextRunAt: maybeIso(task.nextRunAt),
    worker: task.leaseOwner,
    leaseExpiresAt: maybeIso(task.leaseExpiresAt),
    cancelRequestedAt: maybeIso(task.cancelRequestedAt),
    error: task.error,
    progressSummary: task.progressSummary,
    terminalSummary: task.terminalSummary,
    terminalOutcome: task.terminalOutcome,
    createdAt: iso(task.createdAt),
    startedAt: maybeIso(task.startedAt),
    endedAt: maybeIso(task.endedAt),
    lastEventAt: maybeIso(task.lastEventAt),
    cleanupAfter: maybeIso(task.cleanupAfter),
  };
}

/** One flow of a list. */
export function flowEntryOutput({ flow, summary }: FlowEntry): FlowListOutput['flows'][number] {
  const { total, active, failures } = summary;
  return { ...flowOutput(flow), tasks: { total, active, failures } };
}

/** `svc flow list`. @param findings undefined when nobody asked for them */
export function flowListOutput(
  { entries, total }: Page<FlowEntry>,
  findings: readonly FlowFinding[] | undefined,
): FlowListOutput {
  const told = findings?.map(({ severity, code, detail, ageMs, flow, status }) => {
    return { severity, code, detail, ageMs, flowId: flow.flowId, status };
  });
  return {
    flows: entries.map(flowEntryOutput),
    total,
    ...(told === undefined ? {} : { findings: told }),
  };
}

/** `svc flow show`. */
export function flowShowOutput(flow: FlowRecord, tasks: readonly TaskRecord[]): FlowShowOutput {
  return {
    flow: flowOutput(flow),
    ...(flow.stateJson === null ? {} : { stateJson: fromJsonText(flow.stateJson) }),
    ...(flow.waitJson === null ? {} : { waitJson: fromJsonText(flow.waitJson) }),
    tasks: tasks.map(taskOutput),
  };
}

/** `svc task list`. @param findings undefined when nobody asked for them */
export function taskListOutput(
  { entries, total }: Page<TaskRecord>,
  findings: readonly TaskFinding[] | undefined,
): TaskListOutput {
  const told = findings?.map(({ severity, code, detail, ageMs, task, status }) => {
    return { severity, code, detail, ageMs, taskId: task.taskId, status };
  });
  return {
    tasks: entries.map(taskOutput),
    total,
    ...(told === undefined ? {} : { findings: told }),
  };
}

/** `svc task show`. */
export function taskShowOutput(task: TaskRecord, flow: FlowRecord | undefined): TaskShowOutput {
  return {
    task: taskOutput(task),
    flow: flow === undefined ? null : flowOutput(flow),
    ...(task.resultJson === null ? {} : { result: fromJsonText(task.resultJson) }),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function maybeIso(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
