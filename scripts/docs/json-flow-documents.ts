import {
  EMPTY_FLOW,
  type FlowRecord,
  flowOutput,
} from '../../src/engine/flow-model/flow-record.js';
import { historyEntryOutput } from '../../src/engine/flow-model/history-record.js';
import { newFlowId, newTaskId } from '../../src/engine/flow-model/ids.js';
import { EMPTY_TASK, taskOutput } from '../../src/engine/flow-model/task-record.js';
import {
  bulkOutputSchema,
  flowCancelOutputSchema,
  flowHistoryOutputSchema,
  flowListOutputSchema,
  flowOutputSchema,
  flowPruneOutputSchema,
  flowShowOutputSchema,
  notificationListOutputSchema,
  notificationRetryOutputSchema,
  notificationShowOutputSchema,
  taskClaimOutputSchema,
  taskHeartbeatOutputSchema,
  taskListOutputSchema,
  taskOutputSchema,
  taskPauseOutputSchema,
  taskShowOutputSchema,
} from '../../src/engine/flows/output-schemas.js';
import type { JsonDocument } from './json-document.js';

/** An ISO date in a record. */
const at = (date: string): number => Date.parse(date);

const flow: FlowRecord = {
  ...EMPTY_FLOW,
  seq: 1,
  flowId: newFlowId(at('2026-03-02T16:00:00.000Z')),
  ownerKey: 'agent:main:main',
  controllerId: 'webhooks/ci',
  syncMode: 'managed',
  status: 'running',
  revision: 3,
  notifyPolicy: 'done_only',
  goal: 'Publish the digest',
  currentStep: 'reading',
  createdAt: at('2026-03-02T16:00:00.000Z'),
  updatedAt: at('2026-03-02T16:12:40.007Z'),
};
/** The flow in examples. */
export const flowExample = { ...flowOutput(flow), flowId: '413d463b-ee62-4b21-addf-019cb0e3a400' };

const taskExample = {
  ...taskOutput({
    ...EMPTY_TASK,
    seq: 1,
    taskId: newTaskId(at('2026-03-02T16:00:05.000Z')),
    flowSeq: flow.seq,
    parentFlowId: flow.flowId,
    ownerKey: flow.ownerKey,
    revision: 2,
    runtime: 'subagent',
    scopeKind: 'session',
    task: 'Read the pages of this week',
    status: 'running',
    label: 'read',
    agentId: 'main',
    notifyPolicy: 'done_only',
    deliveryStatus: 'pending',
    attempts: 1,
    leaseOwner: 'build-3',
    leaseExpiresAt: at('2026-03-02T16:13:40.007Z'),
    progressSummary: '3 of 7 pages',
    createdAt: at('2026-03-02T16:00:05.000Z'),
    startedAt: at('2026-03-02T16:00:06.000Z'),
    lastEventAt: at('2026-03-02T16:12:40.007Z'),
  }),
  taskId: 'fb015887-239d-43be-9c9e-019cb0e3b7e8',
  flowId: flowExample.flowId,
};

const flowList: JsonDocument = {
  title: 'svc flow list',
  introduction: 'With `--watch` there is no document: each change of a flow is one line.',
  schema: flowListOutputSchema,
  example: {
    flows: [{ ...flowExample, tasks: { total: 4, active: 1, failures: 0 } }],
    total: 1,
    warnings: [],
  },
};

const flowShow: JsonDocument = {
  title: 'svc flow show',
  introduction: 'One flow and all of its tasks.',
  schema: flowShowOutputSchema,
  example: {
    flow: flowExample,
    stateJson: { week: 9 },
    tasks: [taskExample],
    warnings: [],
  },
};

const entryExample = {
  n: 1,
  flowSeq: 1,
  at: at('2026-03-02T16:00:00.000Z'),
  actorKind: 'route',
  actorName: 'ci',
  event: 'flow.created',
  taskId: null,
  fromStatus: null,
  toStatus: 'queued',
  revision: 0,
  note: null,
} as const;
const startedExample = historyEntryOutput({
  ...entryExample,
  at: at('2026-03-02T16:00:09.000Z'),
  actorKind: 'worker',
  actorName: 'build-3',
  event: 'task.started',
  fromStatus: 'queued',
  toStatus: 'running',
  revision: 1,
});

const flowHistory: JsonDocument = {
  title: 'svc flow history',
  introduction: 'Every change of a flow and its tasks.',
  schema: flowHistoryOutputSchema,
  example: {
    flowId: flowExample.flowId,
    status: flowExample.status,
    startsAt: '2026-03-02T16:00:00.000Z',
    gapAfter: null,
    entries: [historyEntryOutput(entryExample), { ...startedExample, taskId: taskExample.taskId }],
    warnings: [],
  },
};

const flowCancel: JsonDocument = {
  title: 'svc flow cancel',
  introduction: 'The flow after the request.',
  schema: flowCancelOutputSchema,
  example: {
    cancelled: true,
    flow: {
      ...flowExample,
      status: 'cancelled',
      cancelRequestedAt: '2026-03-02T16:20:00.000Z',
      endedAt: '2026-03-02T16:20:00.000Z',
    },
    tasks: [],
    warnings: [],
  },
};

const flowWait: JsonDocument = {
  title: 'svc flow wait',
  introduction:
    'The flow after its end. If the wait timed out, the document is an [error](#errors).',
  schema: flowOutputSchema,
  example: {
    flow: { ...flowExample, status: 'succeeded', endedAt: '2026-03-02T16:20:00.000Z' },
    warnings: [],
  },
};

const bulk: JsonDocument = {
  title: 'svc flow cancel, task cancel and task retry with flags',
  introduction: 'What was done with each flow or task that matched the flags.',
  schema: bulkOutputSchema,
  example: {
    dryRun: false,
    matched: 1,
    changed: 1,
    failed: 0,
    results: [{ id: flowExample.flowId, status: 'cancelled', outcome: 'changed', error: null }],
    warnings: [],
  },
};

const flowPrune: JsonDocument = {
  title: 'svc flow prune',
  introduction: 'What was deleted.',
  schema: flowPruneOutputSchema,
  example: { pruned: true, flows: 12, tasks: 40, warnings: [] },
};

const notificationExample = {
  number: 7,
  notificationId: `flow-terminal:${flowExample.flowId}:4:succeeded`,
  target: 'ops',
  kind: 'flow.ended',
  sessionKey: 'agent:main:main',
  flowId: flowExample.flowId,
  taskId: null,
  createdAt: '2026-03-02T16:20:00.000Z',
  attempts: 10,
  retries: 0,
  nextAttemptAt: null,
  settledAt: '2026-03-02T16:55:00.000Z',
  outcome: 'failed',
  lastError: 'the endpoint answered 503',
};

const notificationList: JsonDocument = {
  title: 'svc notification list',
  introduction: 'One entry for each event and target.',
  schema: notificationListOutputSchema,
  example: { notifications: [notificationExample], total: 1, warnings: [] },
};

const notificationShow: JsonDocument = {
  title: 'svc notification show',
  introduction: 'One notification, and what its target gets.',
  schema: notificationShowOutputSchema,
  example: {
    notification: notificationExample,
    payload: {
      id: notificationExample.notificationId,
      type: 'flow.ended',
      createdAt: at('2026-03-02T16:20:00.000Z'),
      sessionKey: 'agent:main:main',
      text: 'Flow succeeded: Publish the digest.',
    },
    warnings: [],
  },
};

const notificationRetry: JsonDocument = {
  title: 'svc notification retry',
  introduction: 'What is delivered again.',
  schema: notificationRetryOutputSchema,
  example: {
    dryRun: false,
    retried: [{ ...notificationExample, outcome: 'pending', attempts: 0, retries: 1 }],
    unknownTargets: 0,
    warnings: [],
  },
};

const taskList: JsonDocument = {
  title: 'svc task list',
  introduction: 'With `--watch` there is no document: each change of a task is one line.',
  schema: taskListOutputSchema,
  example: { tasks: [taskExample], total: 1, paused: [], warnings: [] },
};

const taskShow: JsonDocument = {
  title: 'svc task show',
  introduction: 'One task.',
  schema: taskShowOutputSchema,
  example: {
    task: taskExample,
    flow: flowExample,
    history: [{ ...startedExample, taskId: taskExample.taskId }],
    warnings: [],
  },
};

const taskClaim: JsonDocument = {
  title: 'svc task claim',
  introduction: 'The claimed task and its lease.',
  schema: taskClaimOutputSchema,
  example: {
    task: taskExample,
    flow: flowExample,
    leaseToken: 'lt_…',
    warnings: [],
  },
};

const taskHeartbeat: JsonDocument = {
  title: 'svc task heartbeat',
  introduction: 'The response to the worker.',
  schema: taskHeartbeatOutputSchema,
  example: { task: taskExample, cancelRequested: false, warnings: [] },
};

const taskOther: JsonDocument = {
  title: 'svc task cancel, retry, complete, fail and wait',
  introduction: 'The task after the change.',
  schema: taskOutputSchema,
  example: {
    task: { ...taskExample, status: 'queued', worker: null, leaseExpiresAt: null },
    warnings: [],
  },
};

const taskPause: JsonDocument = {
  title: 'svc task pause and resume',
  introduction: 'What is paused after the change.',
  schema: taskPauseOutputSchema,
  example: {
    paused: [
      { runtime: 'acp', reason: 'upgrading the agents', pausedAt: '2026-03-02T16:20:00.000Z' },
    ],
    warnings: [],
  },
};

/** The documents of `svc flow` and `svc task`. */
export const FLOW_DOCUMENTS: readonly JsonDocument[] = [
  flowList,
  flowShow,
  flowHistory,
  flowCancel,
  bulk,
  flowWait,
  flowPrune,
  notificationList,
  notificationShow,
  notificationRetry,
  taskList,
  taskShow,
  taskClaim,
  taskHeartbeat,
  taskOther,
  taskPause,
];
