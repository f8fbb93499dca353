import { EMPTY_FLOW, type FlowRecord } from '../../../src/engine/flow-model/flow-record.js';
import type { HistoryEntry } from '../../../src/engine/flow-model/history-record.js';
import { newFlowId, newTaskId } from '../../../src/engine/flow-model/ids.js';
import type { NotificationRecord } from '../../../src/engine/flow-model/notification-record.js';
import {
  EMPTY_TASK,
  summarizeTasks,
  type TaskRecord,
} from '../../../src/engine/flow-model/task-record.js';
import type { FlowEntry } from '../../../src/engine/flows/operator-flows.js';

/** The present in these tests. */
export const NOW = 1_800_000_000_000;

/** A running flow, of whose two tasks one has succeeded. */
export function aFlow(fields: Partial<FlowRecord> = {}): FlowEntry {
  return {
    flow: {
      ...EMPTY_FLOW,
      seq: 1,
      flowId: newFlowId(NOW),
      ownerKey: 'agent:main:main',
      syncMode: 'managed',
      controllerId: 'webhooks/ci',
      revision: 3,
      status: 'running',
      notifyPolicy: 'done_only',
      goal: 'Publish the digest\nof this week',
      createdAt: NOW - 600_000,
      updatedAt: NOW - 180_000,
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
    ...EMPTY_TASK,
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
    createdAt: NOW - 600_000,
    startedAt: NOW - 500_000,
    lastEventAt: NOW - 60_000,
    attempts: 1,
    leaseHash: 'h',
    leaseOwner: 'build-3',
    leaseExpiresAt: NOW + 60_000,
    ...fields,
  };
}

/** A notification that was given up. */
export function aNotification(fields: Partial<NotificationRecord> = {}): NotificationRecord {
  const { flow } = aFlow();
  return {
    seq: 7,
    notificationId: `flow-terminal:${flow.flowId}:4:succeeded`,
    target: 'ops',
    kind: 'flow.ended',
    ownerKey: flow.ownerKey,
    flowId: flow.flowId,
    taskId: null,
    payload: '{"text":"Flow succeeded."}',
    createdAt: NOW - 180_000,
    attempts: 10,
    retries: 0,
    nextAttemptAt: null,
    settledAt: NOW - 60_000,
    outcome: 'failed',
    lastError: 'the endpoint answered 503',
    ...fields,
  };
}

/** A change that a route made. */
export function anEntry(fields: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    flowSeq: 1,
    n: 1,
    at: NOW,
    actorKind: 'route',
    actorName: 'ci',
    event: 'flow.changed',
    taskId: null,
    fromStatus: null,
    toStatus: null,
    revision: 0,
    note: null,
    ...fields,
  };
}
