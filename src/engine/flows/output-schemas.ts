import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';

/*
 * Schemas of the JSON documents of `svc flow` and `svc task`. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

const count = z.int().check(z.minimum(0));
const time = z.iso.datetime();
const maybeTime = z.nullable(time);
const maybeText = z.nullable(z.string());
const notifyPolicy = z.enum(['done_only', 'state_changes', 'silent']);
const flowStatus = z.enum([
  'queued',
  'running',
  'waiting',
  'blocked',
  'succeeded',
  'failed',
  'cancelled',
  'lost',
]);
const taskStatus = z.enum([
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
]);

const flowSchema = z.strictObject({
  flowId: z.string(),
  sessionKey: z.string(),
  controllerId: maybeText,
  syncMode: z.enum(['managed', 'task_mirrored']),
  status: flowStatus,
  revision: count,
  notifyPolicy,
  goal: z.string(),
  currentStep: maybeText,
  blockedTaskId: maybeText,
  blockedSummary: maybeText,
  createdAt: time,
  updatedAt: time,
  cancelRequestedAt: maybeTime,
  endedAt: maybeTime,
});

const taskSchema = z.strictObject({
  taskId: z.string(),
  flowId: z.string(),
  sessionKey: z.string(),
  runtime: z.enum(['subagent', 'acp', 'cli', 'cron']),
  task: z.string(),
  status: taskStatus,
  label: maybeText,
  agentId: maybeText,
  runId: maybeText,
  childSessionKey: maybeText,
  sourceId: maybeText,
  parentTaskId: maybeText,
  notifyPolicy,
  deliveryStatus: z.enum([
    'pending',
    'delivered',
    'session_queued',
    'failed',
    'parent_missing',
    'not_applicable',
  ]),
  attempts: count,
  nextRunAt: maybeTime,
  worker: maybeText,
  leaseExpiresAt: maybeTime,
  cancelRequestedAt: maybeTime,
  error: maybeText,
  progressSummary: maybeText,
  terminalSummary: maybeText,
  terminalOutcome: z.nullable(z.enum(['succeeded', 'blocked'])),
  createdAt: time,
  startedAt: maybeTime,
  endedAt: maybeTime,
  lastEventAt: maybeTime,
  cleanupAfter: maybeTime,
});

const finding = { severity: z.enum(['error', 'warn']), detail: z.string(), ageMs: count };

const flowFinding = z.strictObject({
  ...finding,
  code: z.enum([
    'blocked_task_missing',
    'cancel_stuck',
    'delivery_failed',
    'inconsistent_timestamps',
    'missing_linked_tasks',
    'stale_blocked',
    'stale_running',
    'stale_waiting',
  ]),
  flowId: z.string(),
  status: flowStatus,
});

const taskFinding = z.strictObject({
  ...finding,
  code: z.enum([
    'delivery_failed',
    'inconsistent_timestamps',
    'lost',
    'missing_cleanup',
    'stale_queued',
    'stale_running',
  ]),
  taskId: z.string(),
  status: taskStatus,
});

const summary = z.strictObject({ total: count, active: count, failures: count });

/** `svc flow list --json`. */
export const flowListOutputSchema = z.strictObject({
  flows: z.array(z.strictObject({ ...flowSchema.shape, tasks: summary })),
  total: count,
  findings: z.optional(z.array(flowFinding)),
  warnings,
});

/** `svc flow show --json`. */
export const flowShowOutputSchema = z.strictObject({
  flow: flowSchema,
  stateJson: z.optional(z.unknown()),
  waitJson: z.optional(z.unknown()),
  tasks: z.array(taskSchema),
  warnings,
});

/** `svc flow cancel --json`. */
export const flowCancelOutputSchema = z.strictObject({
  cancelled: z.boolean(),
  flow: flowSchema,
  tasks: z.array(taskSchema),
  warnings,
});

/** `svc flow prune --json`. */
export const flowPruneOutputSchema = z.strictObject({
  pruned: z.boolean(),
  flows: count,
  tasks: count,
  warnings,
});

/** `svc task list --json`. */
export const taskListOutputSchema = z.strictObject({
  tasks: z.array(taskSchema),
  total: count,
  findings: z.optional(z.array(taskFinding)),
  warnings,
});

/** `svc task show --json`. */
export const taskShowOutputSchema = z.strictObject({
  task: taskSchema,
  flow: z.nullable(flowSchema),
  result: z.optional(z.unknown()),
  warnings,
});

/** `svc task cancel`, `retry`, `complete` and `fail` with `--json`. */
export const taskOutputSchema = z.strictObject({ task: taskSchema, warnings });

/** `svc task claim --json`. */
export const taskClaimOutputSchema = z.strictObject({
  task: z.nullable(taskSchema),
  flow: z.nullable(flowSchema),
  leaseToken: maybeText,
  warnings,
});

/** `svc task heartbeat --json`. */
export const taskHeartbeatOutputSchema = z.strictObject({
  task: taskSchema,
  cancelRequested: z.boolean(),
  warnings,
});

type Output<S extends z.ZodMiniType> = DeepReadonly<Omit<z.infer<S>, 'warnings'>>;

/** A flow as it is printed. */
export type FlowOutput = DeepReadonly<z.infer<typeof flowSchema>>;
/** A task as it is printed. */
export type PrintedTask = DeepReadonly<z.infer<typeof taskSchema>>;
/** `svc flow list` without its warnings, which the command base adds. */
export type FlowListOutput = Output<typeof flowListOutputSchema>;
/** `svc flow show`, likewise. */
export type FlowShowOutput = Output<typeof flowShowOutputSchema>;
/** `svc flow cancel`, likewise. */
export type FlowCancelOutput = Output<typeof flowCancelOutputSchema>;
/** `svc flow prune`, likewise. */
export type FlowPruneOutput = Output<typeof flowPruneOutputSchema>;
/** `svc task list`, likewise. */
export type TaskListOutput = Output<typeof taskListOutputSchema>;
/** `svc task show`, likewise. */
export type TaskShowOutput = Output<typeof taskShowOutputSchema>;
/** `svc task cancel` and its like, likewise. */
export type TaskOutput = Output<typeof taskOutputSchema>;
/** `svc task claim`, likewise. */
export type TaskClaimOutput = Output<typeof taskClaimOutputSchema>;
/** `svc task heartbeat`, likewise. */
export type TaskHeartbeatOutput = Output<typeof taskHeartbeatOutputSchema>;
