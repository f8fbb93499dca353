import { newFlowId, newTaskId } from '../../../src/engine/flows/ids.js';
import type { FlowRecord, TaskRecord } from '../../../src/engine/flows/index.js';
import type { FlowEntry } from '../../../src/engine/flows/operator-flows.js';
import { summarizeTasks } from '../../../src/engine/flows/views.js';

/** The present in these tests. */
export const NOW = 1_800_000_000_000;

/** A flow that runs, with a task done of two. */
export function aFlow(fields: Partial<FlowRecord> = {}): FlowEntry {
  return {
    flow: {
      seq: 1,
      flowId: newFlowId(NOW),
      ownerKey: 'agent:main:main',
      syncMode: 'managed',
      controllerId: 'webhooks/ci',
      revision: 3,
      status: 'running',
      notifyPolicy: 'done_only',
      goal: 'Publish the digest\nof this week',
      currentStep: null,
      blockedTaskId: null,
      blockedSummary: null,
      stateJson: null,
      waitJson: null,
      cancelRequestedAt: null,
      createdAt: NOW - 600_000,
      updatedAt: NOW - 180_000,
      endedAt: null,
      ...fields,
    },
    summary: summarizeTasks([
      { status: 'succeeded', runtime: 'acp', count: 1 },
      { status: 'running', runtime: 'acp', count: 1 },
    ]),
  };
}

/** A task that somebody works on. */
export function aTask(fields: Partial<TaskRecord> = {}): TaskRecord {
  const { flow } = aFlow();
  return {
    seq: 1,
    taskId: newTaskId(NOW),
    flowSeq: 1,
    parentFlowId: flow.flowId,
    ownerKey: flow.ownerKey,
    revision: 1,
    runtime: 'acp',
    scopeKind: 'session',
    task: 'Read the pages',
    status: 'running',
    deliveryStatus: 'pending',
    notifyPolicy: 'done_only',
    sourceId: null,
    childSessionKey: null,
    parentTaskId: null,
    agentId: null,
    runId: null,
    label: null,
    error: null,
    progressSummary: null,
    terminalSummary: null,
    terminalOutcome: null,
    resultJson: null,
    createdAt: NOW - 600_000,
    startedAt: NOW - 500_000,
    endedAt: null,
    lastEventAt: NOW - 60_000,
    cleanupAfter: null,
    attempts: 1,
    nextRunAt: null,
    cancelRequestedAt: null,
    leaseHash: 'h',
    leaseOwner: 'build-3',
    leaseExpiresAt: NOW + 60_000,
    ...fields,
  };
}
