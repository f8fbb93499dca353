import * as z from 'zod/mini';
import { nonEmpty } from '../support/lengths.js';
import type { JsonValue } from './fields.js';
import { ACTIVE_FLOW_STATUSES, NOTIFY_POLICIES } from './flow-record.js';
import { ACTIVE_TASK_STATUSES } from './task-record.js';

/*
 * The bodies of the actions of outside systems: thirteen (facts §2.3), and two that read tasks. Their types and the
 * OpenAPI document derive from them. Unknown keys are refused. A field left out keeps what is stored, null clears it.
 */

/** The most flows in one answer. */
export const MOST_LISTED = 1000;

/** Kept in a registry, because a check would run with every request. */
function withDescription<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

function optional<T extends z.ZodMiniType>(schema: T, description: string) {
  return withDescription(z.exactOptional(schema), description);
}

function text() {
  return z.string().check(z.trim(), z.overwrite(withoutNul), nonEmpty());
}

/** PostgreSQL's text cannot contain NUL, and an answer must not differ from what is stored. */
function withoutNul(value: string): string {
  return value.replaceAll('\0', '\ufffd');
}

/** Bodies come out of JSON.parse, so that any value in them is JSON. */
function anyJson() {
  return z.custom<JsonValue>();
}

const flowId = withDescription(text(), 'The id of the flow');
const currentStep = optional(z.nullable(text()), 'The progress of the flow, for people');
const stateJson = optional(anyJson(), 'State of the controller, any JSON');
const waitJson = optional(anyJson(), 'What the flow waits for, any JSON');
const blockedTaskId = optional(z.nullable(text()), 'The task that blocks the flow');
const blockedSummary = optional(z.nullable(text()), 'Why the flow is blocked, for people');
const notifyPolicy = (description: string) => optional(z.enum(NOTIFY_POLICIES), description);
const epochMs = (description: string) =>
  optional(z.int().check(z.minimum(0)), `${description}, in milliseconds since the epoch`);

/** Of every change of a flow that depends on what the caller saw. */
const guarded = {
  flowId,
  expectedRevision: withDescription(
    z.int().check(z.minimum(0)),
    'The revision that the caller saw; any other is a conflict',
  ),
};

const page = (what: 'flows' | 'tasks') => ({
  limit: optional(
    z.int().check(z.minimum(1), z.maximum(MOST_LISTED)),
    `The most ${what} to list; default: ${MOST_LISTED}`,
  ),
  cursor: optional(text(), `The \`nextCursor\` of the previous answer, for the ${what} after it`),
});

/** Fields that only a running task has. */
const RUNNING_FIELDS = ['startedAt', 'lastEventAt', 'progressSummary'] as const;
const ONLY_RUNNING = 'Only with status running';

/** Every body by its action. */
export const ACTION_SCHEMAS = {
  create_flow: z.strictObject({
    action: z.literal('create_flow'),
    goal: withDescription(text(), 'What the flow is for'),
    controllerId: optional(text(), 'Who drives the flow; default: the controller of the route'),
    status: optional(z.enum(ACTIVE_FLOW_STATUSES), 'Default: queued'),
    notifyPolicy: notifyPolicy('When notifications of the flow are sent; default: done_only'),
    currentStep,
    stateJson,
    waitJson,
  }),
  get_flow: z.strictObject({ action: z.literal('get_flow'), flowId }),
  list_flows: z.strictObject({ action: z.literal('list_flows'), ...page('flows') }),
  find_latest_flow: z.strictObject({ action: z.literal('find_latest_flow') }),
  resolve_flow: z.strictObject({
    action: z.literal('resolve_flow'),
    token: withDescription(
      text(),
      'The id of a flow, or the session of the route for its latest one',
    ),
  }),
  get_task_summary: z.strictObject({ action: z.literal('get_task_summary'), flowId }),
  set_waiting: z.strictObject({
    action: z.literal('set_waiting'),
    ...guarded,
    currentStep,
    stateJson,
    waitJson,
    blockedTaskId,
    blockedSummary,
  }),
  resume_flow: z.strictObject({
    action: z.literal('resume_flow'),
    ...guarded,
    status: optional(z.enum(ACTIVE_TASK_STATUSES), 'Default: queued'),
    currentStep,
    stateJson,
  }),
  finish_flow: z.strictObject({ action: z.literal('finish_flow'), ...guarded, stateJson }),
  fail_flow: z.strictObject({
    action: z.literal('fail_flow'),
    ...guarded,
    stateJson,
    blockedTaskId,
    blockedSummary,
  }),
  request_cancel: z.strictObject({ action: z.literal('request_cancel'), ...guarded }),
  cancel_flow: z.strictObject({ action: z.literal('cancel_flow'), flowId }),
  run_task: z
    .strictObject({
      action: z.literal('run_task'),
      flowId,
      runtime: withDescription(z.enum(['subagent', 'acp']), 'What runs the task'),
      task: withDescription(text(), 'What to do'),
      sourceId: optional(text(), 'Where the task came from'),
      childSessionKey: optional(text(), 'The session the task runs in'),
      parentTaskId: optional(text(), 'The task that this one is part of'),
      agentId: optional(text(), 'The agent it is for'),
      runId: optional(text(), 'An id of the run; within a flow and a runtime it creates one task'),
      label: optional(text(), 'A short name, for people'),
      preferMetadata: optional(
        z.boolean(),
        'Whether the fields above override those of an existing task',
      ),
      notifyPolicy: notifyPolicy(
        'When notifications of the task are sent; default: as for the flow',
      ),
      status: optional(z.enum(ACTIVE_TASK_STATUSES), 'Default: queued'),
      startedAt: epochMs(`${ONLY_RUNNING}: when it started`),
      lastEventAt: epochMs(`${ONLY_RUNNING}: when it was last heard of`),
      progressSummary: optional(z.nullable(text()), `${ONLY_RUNNING}: its progress, for people`),
    })
    .check(
      z.check((payload) => {
        if (payload.value.status === 'running') return;
        for (const field of RUNNING_FIELDS) {
          if (payload.value[field] === undefined) continue;
          payload.issues.push({
            code: 'custom',
            path: [field],
            message: 'is only for tasks with status "running"',
            input: payload.value[field],
          });
        }
      }),
    ),
  get_task: z.strictObject({
    action: z.literal('get_task'),
    taskId: withDescription(text(), 'The id of the task'),
  }),
  list_tasks: z.strictObject({
    action: z.literal('list_tasks'),
    flowId: optional(text(), 'Only the tasks of this flow'),
    ...page('tasks'),
  }),
} as const;

type ActionSchema = (typeof ACTION_SCHEMAS)[keyof typeof ACTION_SCHEMAS];

export const actionSchema = z.discriminatedUnion(
  'action',
  Object.values(ACTION_SCHEMAS) as [ActionSchema, ...ActionSchema[]],
);

/** The names of all actions. */
export const ACTION_NAMES = Object.keys(ACTION_SCHEMAS) as (keyof typeof ACTION_SCHEMAS)[];

export type FlowAction = z.infer<typeof actionSchema>;
type ActionOf<Name extends FlowAction['action']> = Extract<FlowAction, { action: Name }>;

export const READ_ACTIONS = [
  'find_latest_flow',
  'get_flow',
  'get_task',
  'get_task_summary',
  'list_flows',
  'list_tasks',
  'resolve_flow',
] as const;

/** An action that only reads. */
export type FlowRead = ActionOf<(typeof READ_ACTIONS)[number]>;
/** An action that changes something. */
export type FlowChange = Exclude<FlowAction, FlowRead>;
/** A change of one flow, guarded by the revision that the caller saw. */
export type FlowMutation = Extract<FlowChange, { expectedRevision: number }>;
export type CreateFlow = ActionOf<'create_flow'>;
export type SetWaiting = ActionOf<'set_waiting'>;
export type CancelFlow = ActionOf<'cancel_flow'>;
export type RunTask = ActionOf<'run_task'>;
/** `create_flow`, and `run_task` in the new flow in the same transaction. */
export interface StartFlow {
  readonly action: 'start_flow';
  readonly flow: CreateFlow;
  readonly task: Omit<RunTask, 'flowId' | 'parentTaskId'>;
}
