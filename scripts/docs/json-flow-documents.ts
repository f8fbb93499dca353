import {
  flowCancelOutputSchema,
  flowListOutputSchema,
  flowPruneOutputSchema,
  flowShowOutputSchema,
  taskClaimOutputSchema,
  taskHeartbeatOutputSchema,
  taskListOutputSchema,
  taskOutputSchema,
  taskShowOutputSchema,
} from '../../src/engine/flows/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

const FLOW = {
  flowId: 'A UUID.',
  sessionKey: 'The session that owns it; webhooks never say it.',
  controllerId: 'Who drives it.',
  syncMode: '`managed`: driven by a controller.',
  status: 'See [flows.md](flows.md#states).',
  revision: '0 when made, one more with every change.',
  notifyPolicy: 'What is told of it.',
  goal: 'What it is for.',
  currentStep: 'Where it stands, in the words of its controller.',
  blockedTaskId: 'The task that blocks it.',
  blockedSummary: 'What blocks it, in words.',
  createdAt: 'When it was made.',
  updatedAt: 'When it was changed last.',
  cancelRequestedAt: 'When somebody asked to cancel it first; from then on it can only end.',
  endedAt: 'When it ended.',
};

const TASK = {
  taskId: 'A UUID.',
  flowId: 'The flow it belongs to.',
  sessionKey: 'The session that owns it.',
  runtime: 'What runs it.',
  task: 'What is to be done.',
  status: 'See [flows.md](flows.md#tasks).',
  label: 'A short name.',
  agentId: 'The agent it is for.',
  runId: 'A name of the outside; within a flow the same one is made once.',
  childSessionKey: 'The session it runs in.',
  sourceId: 'Where it came from.',
  parentTaskId: 'The task that asked for it.',
  notifyPolicy: 'What is told of it.',
  deliveryStatus: 'What became of the message about its end.',
  attempts: 'How often a worker began it.',
  nextRunAt: 'It is not begun again before.',
  worker: 'Who holds it.',
  leaseExpiresAt: 'When it is taken back unless its worker reports.',
  cancelRequestedAt: 'When somebody asked to cancel it while it ran.',
  error: 'Why it failed, or failed last.',
  progressSummary: 'What its worker said last.',
  terminalSummary: 'What came of it.',
  terminalOutcome: '`blocked`: done as far as possible, and somebody else has to go on.',
  createdAt: 'When it was made.',
  startedAt: 'When it was begun first.',
  endedAt: 'When it ended.',
  lastEventAt: 'When something was heard of it last.',
  cleanupAfter: 'From when on it may be pruned.',
};

const FINDING = {
  severity: 'An `error` makes the command exit with 1.',
  detail: 'For people.',
  ageMs: 'How long it has been so, in milliseconds.',
  code: 'What is wrong, see [flows.md](flows.md#what-goes-wrong).',
  status: 'Its state.',
};

function below(path: string, meanings: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(meanings).map(([field, meaning]) => [`${path}.${field}`, meaning]),
  );
}

const flowExample = {
  flowId: '413d463b-ee62-4b21-addf-019cb0e3a400',
  sessionKey: 'agent:main:main',
  controllerId: 'webhooks/ci',
  syncMode: 'managed',
  status: 'running',
  revision: 3,
  notifyPolicy: 'done_only',
  goal: 'Publish the digest',
  currentStep: 'reading',
  blockedTaskId: null,
  blockedSummary: null,
  createdAt: '2026-03-02T16:00:00.000Z',
  updatedAt: '2026-03-02T16:12:40.007Z',
  cancelRequestedAt: null,
  endedAt: null,
};

const taskExample = {
  taskId: 'fb015887-239d-43be-9c9e-019cb0e3b7e8',
  flowId: flowExample.flowId,
  sessionKey: 'agent:main:main',
  runtime: 'subagent',
  task: 'Read the pages of this week',
  status: 'running',
  label: 'read',
  agentId: 'main',
  runId: null,
  childSessionKey: null,
  sourceId: null,
  parentTaskId: null,
  notifyPolicy: 'done_only',
  deliveryStatus: 'pending',
  attempts: 1,
  nextRunAt: null,
  worker: 'build-3',
  leaseExpiresAt: '2026-03-02T16:13:40.007Z',
  cancelRequestedAt: null,
  error: null,
  progressSummary: '3 of 7 pages',
  terminalSummary: null,
  terminalOutcome: null,
  createdAt: '2026-03-02T16:00:05.000Z',
  startedAt: '2026-03-02T16:00:06.000Z',
  endedAt: null,
  lastEventAt: '2026-03-02T16:12:40.007Z',
  cleanupAfter: null,
};

const flowList: JsonDocument = {
  title: 'svc flow list',
  introduction: 'With `--watch` there is no document: each flow that changes is a line.',
  schema: flowListOutputSchema,
  meanings: {
    flows: 'Newest first.',
    ...below('flows[]', FLOW),
    'flows[].tasks': 'Its tasks, counted.',
    'flows[].tasks.total': 'All of them.',
    'flows[].tasks.active': 'Queued or running.',
    'flows[].tasks.failures': 'Failed, timed out or lost.',
    total: 'How many there are without `--limit`.',
    findings: 'With `--audit` what looks wrong, errors first.',
    ...below('findings[]', { ...FINDING, flowId: 'The flow.' }),
    ...WARNINGS,
  },
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
  meanings: {
    flow: 'The flow.',
    ...below('flow', FLOW),
    stateJson: 'What its controller keeps in it; left out when it keeps nothing.',
    waitJson: 'What it waits for, in the words of its controller; likewise.',
    tasks: 'Oldest first.',
    ...below('tasks[]', TASK),
    ...WARNINGS,
  },
  example: {
    flow: flowExample,
    stateJson: { week: 9 },
    tasks: [taskExample],
    warnings: [],
  },
};

const flowCancel: JsonDocument = {
  title: 'svc flow cancel',
  introduction: 'What became of the flow.',
  schema: flowCancelOutputSchema,
  meanings: {
    cancelled: 'False while workers still hold tasks of it: it ends with the last of them.',
    flow: 'The flow as it is now.',
    ...below('flow', FLOW),
    tasks: 'Its tasks as they are now, oldest first.',
    ...below('tasks[]', TASK),
    ...WARNINGS,
  },
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

const flowPrune: JsonDocument = {
  title: 'svc flow prune',
  introduction: 'What was deleted.',
  schema: flowPruneOutputSchema,
  meanings: {
    pruned: 'False when the person said no.',
    flows: 'Flows that were deleted.',
    tasks: 'Tasks that were deleted.',
    ...WARNINGS,
  },
  example: { pruned: true, flows: 12, tasks: 40, warnings: [] },
};

const taskList: JsonDocument = {
  title: 'svc task list',
  introduction: 'With `--watch` there is no document: each task that changes is a line.',
  schema: taskListOutputSchema,
  meanings: {
    tasks: 'Newest first.',
    ...below('tasks[]', TASK),
    total: 'How many there are without `--limit`.',
    findings: 'With `--audit` what looks wrong, errors first.',
    ...below('findings[]', { ...FINDING, taskId: 'The task.' }),
    ...WARNINGS,
  },
  example: { tasks: [taskExample], total: 1, warnings: [] },
};

const taskShow: JsonDocument = {
  title: 'svc task show',
  introduction: 'One task.',
  schema: taskShowOutputSchema,
  meanings: {
    task: 'The task.',
    ...below('task', TASK),
    flow: 'The flow it belongs to.',
    ...below('flow', FLOW),
    result: 'What its worker handed back; left out when it handed back nothing.',
    ...WARNINGS,
  },
  example: { task: taskExample, flow: flowExample, warnings: [] },
};

const taskClaim: JsonDocument = {
  title: 'svc task claim',
  introduction: 'What a worker is to do.',
  schema: taskClaimOutputSchema,
  meanings: {
    task: 'The task; `null` when none waits.',
    ...below('task', TASK),
    flow: 'The flow it belongs to.',
    ...below('flow', FLOW),
    leaseToken: 'The secret that every report on the task needs; shown this once.',
    ...WARNINGS,
  },
  example: {
    task: taskExample,
    flow: flowExample,
    leaseToken: 'lt_…',
    warnings: [],
  },
};

const taskHeartbeat: JsonDocument = {
  title: 'svc task heartbeat',
  introduction: 'What a worker hears back.',
  schema: taskHeartbeatOutputSchema,
  meanings: {
    task: 'The task as it is now.',
    ...below('task', TASK),
    cancelRequested: 'Stop, and say `svc task fail`.',
    ...WARNINGS,
  },
  example: { task: taskExample, cancelRequested: false, warnings: [] },
};

const taskOther: JsonDocument = {
  title: 'svc task cancel, retry, complete and fail',
  introduction: 'The task as it is afterwards.',
  schema: taskOutputSchema,
  meanings: { task: 'The task.', ...below('task', TASK), ...WARNINGS },
  example: {
    task: { ...taskExample, status: 'queued', worker: null, leaseExpiresAt: null },
    warnings: [],
  },
};

/** The documents of `svc flow` and `svc task`. */
export const FLOW_DOCUMENTS: readonly JsonDocument[] = [
  flowList,
  flowShow,
  flowCancel,
  flowPrune,
  taskList,
  taskShow,
  taskClaim,
  taskHeartbeat,
  taskOther,
];
