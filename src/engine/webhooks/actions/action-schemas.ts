import * as z from 'zod/mini';
import type { FlowAction, JsonValue } from '../../flows/index.js';

/*
 * The bodies of the thirteen actions (facts §2.3). Strict: a key that an action does not know is
 * refused. Left out keeps what is stored, null clears it. The OpenAPI document is made of them.
 */

/** What a field means, for the OpenAPI document. */
export const MEANINGS: z.core.$ZodRegistry<{ readonly description: string }> = z.registry<{
  readonly description: string;
}>();

function means<T extends z.core.$ZodType>(schema: T, description: string): T {
  MEANINGS.add(schema, { description });
  return schema;
}

function optional<T extends z.core.$ZodType>(schema: T, description: string) {
  return means(z.exactOptional(schema), description);
}

function text() {
  return z.string().check(z.trim(), z.minLength(1));
}

/** A body comes out of JSON.parse, so that whatever stands there is JSON. */
function anyJson() {
  return z.custom<JsonValue>();
}

const flowId = () => means(text(), 'The id of the flow');
const expectedRevision = () =>
  means(z.int().check(z.minimum(0)), 'The revision that the caller saw; another one is a conflict');
const currentStep = () => optional(z.nullable(text()), 'Where the flow stands, for people');
const stateJson = () => optional(anyJson(), 'State of the controller, any JSON');
const waitJson = () => optional(anyJson(), 'What is waited for, any JSON');
const blockedTaskId = () => optional(z.nullable(text()), 'The task that holds the flow up');
const blockedSummary = () => optional(z.nullable(text()), 'Why the flow is held up, for people');
const notifyPolicy = (description: string) =>
  optional(z.enum(['done_only', 'state_changes', 'silent']), description);
const epochMs = (description: string) =>
  optional(z.int().check(z.minimum(0)), `${description}, in milliseconds since the epoch`);

const createFlow = z.strictObject({
  action: z.literal('create_flow'),
  goal: means(text(), 'What the flow is for'),
  controllerId: optional(text(), 'Who drives the flow; that of the route when left out'),
  status: optional(z.enum(['queued', 'running', 'waiting', 'blocked']), 'queued when left out'),
  notifyPolicy: notifyPolicy('What is told of the flow; done_only when left out'),
  currentStep: currentStep(),
  stateJson: stateJson(),
  waitJson: waitJson(),
});

const getFlow = z.strictObject({ action: z.literal('get_flow'), flowId: flowId() });

const listFlows = z.strictObject({ action: z.literal('list_flows') });

const findLatestFlow = z.strictObject({ action: z.literal('find_latest_flow') });

const resolveFlow = z.strictObject({
  action: z.literal('resolve_flow'),
  token: means(text(), 'The id of a flow, or the session of the route for its latest one'),
});

const getTaskSummary = z.strictObject({ action: z.literal('get_task_summary'), flowId: flowId() });

const setWaiting = z.strictObject({
  action: z.literal('set_waiting'),
  flowId: flowId(),
  expectedRevision: expectedRevision(),
  currentStep: currentStep(),
  stateJson: stateJson(),
  waitJson: waitJson(),
  blockedTaskId: blockedTaskId(),
  blockedSummary: blockedSummary(),
});

const resumeFlow = z.strictObject({
  action: z.literal('resume_flow'),
  flowId: flowId(),
  expectedRevision: expectedRevision(),
  status: optional(z.enum(['queued', 'running']), 'queued when left out'),
  currentStep: currentStep(),
  stateJson: stateJson(),
});

const finishFlow = z.strictObject({
  action: z.literal('finish_flow'),
  flowId: flowId(),
  expectedRevision: expectedRevision(),
  stateJson: stateJson(),
});

const failFlow = z.strictObject({
  action: z.literal('fail_flow'),
  flowId: flowId(),
  expectedRevision: expectedRevision(),
  stateJson: stateJson(),
  blockedTaskId: blockedTaskId(),
  blockedSummary: blockedSummary(),
});

const requestCancel = z.strictObject({
  action: z.literal('request_cancel'),
  flowId: flowId(),
  expectedRevision: expectedRevision(),
});

const cancelFlow = z.strictObject({ action: z.literal('cancel_flow'), flowId: flowId() });

/** Fields that say how far a task is; one that is not running has none of them. */
const RUNNING_FIELDS = ['startedAt', 'lastEventAt', 'progressSummary'] as const;
const ONLY_RUNNING = 'Only with status running';

const runTask = z.strictObject({
  action: z.literal('run_task'),
  flowId: flowId(),
  runtime: means(z.enum(['subagent', 'acp']), 'What runs the task'),
  task: means(text(), 'What is to be done'),
  sourceId: optional(text(), 'Where the task comes from'),
  childSessionKey: optional(text(), 'The session that the task runs in'),
  parentTaskId: optional(text(), 'The task that this one is part of'),
  agentId: optional(text(), 'The agent that does it'),
  runId: optional(text(), 'The run that does it'),
  label: optional(text(), 'A short name, for people'),
  preferMetadata: optional(z.boolean(), 'Whether the fields above tell more than the task itself'),
  notifyPolicy: notifyPolicy('What is told of the task; that of the flow when left out'),
  status: optional(z.enum(['queued', 'running']), 'queued when left out'),
  startedAt: epochMs(`${ONLY_RUNNING}: when it began`),
  lastEventAt: epochMs(`${ONLY_RUNNING}: when it was last heard of`),
  progressSummary: optional(z.nullable(text()), `${ONLY_RUNNING}: how far it is, for people`),
});

/** Every body by its action. */
export const ACTION_SCHEMAS = {
  create_flow: createFlow,
  get_flow: getFlow,
  list_flows: listFlows,
  find_latest_flow: findLatestFlow,
  resolve_flow: resolveFlow,
  get_task_summary: getTaskSummary,
  set_waiting: setWaiting,
  resume_flow: resumeFlow,
  finish_flow: finishFlow,
  fail_flow: failFlow,
  request_cancel: requestCancel,
  cancel_flow: cancelFlow,
  run_task: runTask,
} as const satisfies { readonly [Name in FlowAction['action']]: z.ZodMiniType };

/** A body of any action, told apart by `action`. */
export const actionSchema = z.discriminatedUnion('action', [
  createFlow,
  getFlow,
  listFlows,
  findLatestFlow,
  resolveFlow,
  getTaskSummary,
  setWaiting,
  resumeFlow,
  finishFlow,
  failFlow,
  requestCancel,
  cancelFlow,
  runTask.check(
    z.check((payload) => {
      if (payload.value.status === 'running') return;
      for (const field of RUNNING_FIELDS) {
        if (payload.value[field] === undefined) continue;
        payload.issues.push({
          code: 'custom',
          path: [field],
          message: 'is for tasks of status "running" only',
          input: payload.value[field],
        });
      }
    }),
  ),
]);

/** The names of all actions. */
export const ACTION_NAMES = Object.keys(ACTION_SCHEMAS);
