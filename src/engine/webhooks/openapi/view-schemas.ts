import * as z from 'zod/mini';
import type { JsonValue } from '../../flows/index.js';

/*
 * What answers hold (facts §2.3 to 2.5). They are checked by tests and stand in the OpenAPI document;
 * no request is held against them.
 */

const count = () => z.int().check(z.minimum(0));
const epochMs = () => z.int().check(z.minimum(0));
const json = () => z.exactOptional(z.custom<JsonValue>());
const text = () => z.exactOptional(z.string());
const time = () => z.exactOptional(epochMs());

const notifyPolicy = () => z.enum(['done_only', 'state_changes', 'silent']);

/** A flow. Fields that are empty are left out. */
export const flowSchema = z.strictObject({
  flowId: z.string(),
  syncMode: z.enum(['managed', 'task_mirrored']),
  revision: count(),
  status: z.enum([
    ...(['queued', 'running', 'waiting', 'blocked'] as const),
    ...(['succeeded', 'failed', 'cancelled', 'lost'] as const),
  ]),
  notifyPolicy: notifyPolicy(),
  goal: z.string(),
  createdAt: epochMs(),
  updatedAt: epochMs(),
  controllerId: text(),
  currentStep: text(),
  blockedTaskId: text(),
  blockedSummary: text(),
  stateJson: json(),
  waitJson: json(),
  cancelRequestedAt: time(),
  endedAt: time(),
});

const runtimes = ['subagent', 'acp', 'cli', 'cron'] as const;
const taskStatuses = [
  ...(['queued', 'running', 'succeeded', 'failed'] as const),
  ...(['timed_out', 'cancelled', 'lost'] as const),
] as const;

/** A task. Fields that are empty are left out. */
export const taskSchema = z.strictObject({
  taskId: z.string(),
  runtime: z.enum(runtimes),
  scopeKind: z.enum(['session', 'system']),
  task: z.string(),
  status: z.enum(taskStatuses),
  deliveryStatus: z.enum([
    ...(['pending', 'delivered', 'session_queued', 'failed'] as const),
    ...(['parent_missing', 'not_applicable'] as const),
  ]),
  notifyPolicy: notifyPolicy(),
  createdAt: epochMs(),
  sourceId: text(),
  childSessionKey: text(),
  parentFlowId: text(),
  parentTaskId: text(),
  agentId: text(),
  runId: text(),
  label: text(),
  error: text(),
  progressSummary: text(),
  terminalSummary: text(),
  terminalOutcome: z.exactOptional(z.enum(['succeeded', 'blocked'])),
  startedAt: time(),
  endedAt: time(),
  lastEventAt: time(),
  cleanupAfter: time(),
});

const countsOf = (names: readonly string[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, count()])));

/** How the tasks of a flow stand. */
export const taskSummarySchema = z.strictObject({
  total: count(),
  active: count(),
  terminal: count(),
  failures: count(),
  byStatus: countsOf(taskStatuses),
  byRuntime: countsOf(runtimes),
});

/** What `result` may hold; which of it is there depends on the action and on what came of it. */
const resultSchema = z.strictObject({
  flow: z.exactOptional(z.nullable(flowSchema)),
  flows: z.exactOptional(z.array(flowSchema)),
  truncated: z.exactOptional(z.boolean()),
  task: z.exactOptional(taskSchema),
  tasks: z.exactOptional(z.array(taskSchema)),
  summary: z.exactOptional(z.nullable(taskSummarySchema)),
  created: z.exactOptional(z.boolean()),
  applied: z.exactOptional(z.boolean()),
  found: z.exactOptional(z.boolean()),
  cancelled: z.exactOptional(z.boolean()),
  code: text(),
  reason: text(),
  current: z.exactOptional(flowSchema),
});

/** The body of an action that was performed. */
export const successSchema = z.strictObject({
  ok: z.literal(true),
  routeId: z.string(),
  code: z.exactOptional(z.literal('cancel_pending')),
  result: resultSchema,
});

/** The body of a request that was refused. */
export const rejectionSchema = z.strictObject({
  ok: z.literal(false),
  routeId: z.string(),
  code: z.string(),
  error: z.string(),
  result: resultSchema,
});
