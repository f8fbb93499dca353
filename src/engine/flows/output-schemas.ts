import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { field, warningsSchema as warnings } from '../errors/output-schema.js';
import { FLOW_STATUSES } from './flow-record.js';
import { count, flowSchema, taskSchema } from './record-schemas.js';
import { TASK_STATUSES } from './task-record.js';

/*
 * Schemas of the JSON output of `svc flow` and `svc task`. Tests check output against them and
 * docs/json.md is generated from them; no command loads them.
 */

const finding = {
  severity: field(z.enum(['error', 'warn']), 'An `error` makes the command exit with 1.'),
  detail: field(z.string(), 'For people.'),
  ageMs: field(count, 'How long it has lasted, in milliseconds.'),
};

const flowFinding = z.strictObject({
  ...finding,
  code: field(
    z.enum([
      'blocked_task_missing',
      'cancel_stuck',
      'delivery_failed',
      'inconsistent_timestamps',
      'missing_linked_tasks',
      'stale_blocked',
      'stale_running',
      'stale_waiting',
    ]),
    'What is wrong, see [flows.md](flows.md#what-goes-wrong).',
  ),
  flowId: field(z.string(), 'The flow.'),
  status: field(z.enum(FLOW_STATUSES), 'Its state.'),
});

const taskFinding = z.strictObject({
  ...finding,
  code: field(
    z.enum([
      'delivery_failed',
      'inconsistent_timestamps',
      'lost',
      'missing_cleanup',
      'stale_queued',
      'stale_running',
    ]),
    'What is wrong, see [flows.md](flows.md#what-goes-wrong).',
  ),
  taskId: field(z.string(), 'The task.'),
  status: field(z.enum(TASK_STATUSES), 'Its state.'),
});

const summary = z.strictObject({
  total: field(count, 'All tasks.'),
  active: field(count, 'Queued or running.'),
  failures: field(count, 'Failed, timed out or lost.'),
});

/** `svc flow list --json`. */
export const flowListOutputSchema = z.strictObject({
  flows: field(
    z.array(z.strictObject({ ...flowSchema.shape, tasks: field(summary, 'Counts of its tasks.') })),
    'Newest first.',
  ),
  total: field(count, 'How many there are without `--limit`.'),
  findings: field(
    z.optional(z.array(flowFinding)),
    'With `--audit`: problems found, errors first.',
  ),
  warnings,
});

/** `svc flow show --json`. */
export const flowShowOutputSchema = z.strictObject({
  flow: field(flowSchema, 'The flow.'),
  stateJson: field(
    z.optional(z.unknown()),
    'State of its controller; left out when there is none.',
  ),
  waitJson: field(
    z.optional(z.unknown()),
    'What it waits for, in the words of its controller; left out when there is none.',
  ),
  tasks: field(z.array(taskSchema), 'Oldest first.'),
  warnings,
});

/** `svc flow cancel --json`. */
export const flowCancelOutputSchema = z.strictObject({
  cancelled: field(
    z.boolean(),
    'False while workers still hold tasks of it; it ends with the last of them.',
  ),
  flow: field(flowSchema, 'The flow after the change.'),
  tasks: field(z.array(taskSchema), 'Its tasks after the change, oldest first.'),
  warnings,
});

/** `svc flow prune --json`. */
export const flowPruneOutputSchema = z.strictObject({
  pruned: field(z.boolean(), 'False when the user declined.'),
  flows: field(count, 'Deleted flows.'),
  tasks: field(count, 'Deleted tasks.'),
  warnings,
});

/** `svc task list --json`. */
export const taskListOutputSchema = z.strictObject({
  tasks: field(z.array(taskSchema), 'Newest first.'),
  total: field(count, 'How many there are without `--limit`.'),
  findings: field(
    z.optional(z.array(taskFinding)),
    'With `--audit`: problems found, errors first.',
  ),
  warnings,
});

/** `svc task show --json`. */
export const taskShowOutputSchema = z.strictObject({
  task: field(taskSchema, 'The task.'),
  flow: field(z.nullable(flowSchema), 'The flow it belongs to.'),
  result: field(
    z.optional(z.unknown()),
    'What its worker returned; left out when there is nothing.',
  ),
  warnings,
});

/** `svc task cancel`, `retry`, `complete` and `fail` with `--json`. */
export const taskOutputSchema = z.strictObject({ task: field(taskSchema, 'The task.'), warnings });

/** `svc task claim --json`. */
export const taskClaimOutputSchema = z.strictObject({
  task: field(z.nullable(taskSchema), 'The task; `null` when none is queued.'),
  flow: field(z.nullable(flowSchema), 'The flow it belongs to.'),
  leaseToken: field(
    z.nullable(z.string()),
    'The secret that every report on the task needs; shown only here.',
  ),
  warnings,
});

/** `svc task heartbeat --json`. */
export const taskHeartbeatOutputSchema = z.strictObject({
  task: field(taskSchema, 'The task after the report.'),
  cancelRequested: field(z.boolean(), 'Stop, and run `svc task fail`.'),
  warnings,
});

type Output<S extends z.ZodMiniType> = DeepReadonly<Omit<z.infer<S>, 'warnings'>>;

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
