import * as z from 'zod/mini';
import {
  count,
  type DocumentOf,
  documentSchema,
  field,
  listField,
} from '../errors/output-schema.js';
import { FLOW_STATUSES } from '../flow-model/flow-record.js';
import {
  flowSchema,
  historyEntrySchema,
  notificationSchema,
  pauseSchema,
  taskSchema,
} from '../flow-model/record-schemas.js';
import { TASK_STATUSES } from '../flow-model/task-record.js';

const finding = {
  severity: field(z.enum(['error', 'warn']), 'An `error` makes the command exit with 1.'),
  detail: field.text('For people.'),
  ageMs: field.count('How long it has lasted, in milliseconds.'),
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
      'stale_queued',
      'stale_running',
      'stale_waiting',
    ]),
    'What is wrong, see [flows.md](flows.md#what-goes-wrong).',
  ),
  flowId: field.text('The flow.'),
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
  taskId: field.text('The task.'),
  status: field(z.enum(TASK_STATUSES), 'Its state.'),
});

const summary = z.strictObject({
  total: field.count('All tasks.'),
  active: field.count('Queued or running.'),
  failures: field.count('Failed, timed out or lost.'),
});

/** `svc flow list --json`. */
export const flowListOutputSchema = documentSchema({
  flows: listField('Newest first.', {
    ...flowSchema.shape,
    tasks: field(summary, 'Counts of its tasks.'),
  }),
  total: field.count('How many there are without `--limit`.'),
  findings: field(
    z.optional(z.array(flowFinding)),
    'With `--audit`: problems found, errors first.',
  ),
});

/** `svc flow show --json`. */
export const flowShowOutputSchema = documentSchema({
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
});

/** `svc flow history --json`. */
export const flowHistoryOutputSchema = documentSchema({
  flowId: field.text('The flow.'),
  status: field(z.enum(FLOW_STATUSES), 'Its state.'),
  startsAt: field.timeOrNull(
    'From when on every change is known; later than its creation for a flow of an older svc.',
  ),
  gapAfter: field(
    z.nullable(count),
    'After so many entries, some may be missing; `null` if there are all.',
  ),
  entries: field(z.array(historyEntrySchema), 'Oldest first.'),
});

/** `svc flow cancel --json`. */
export const flowCancelOutputSchema = documentSchema({
  cancelled: field.flag(
    'False while workers still hold tasks of it; it ends with the last of them.',
  ),
  flow: field(flowSchema, 'The flow after the change.'),
  tasks: field(z.array(taskSchema), 'Its tasks after the change, oldest first.'),
});

/** `svc flow cancel`, `svc task cancel` and `svc task retry` with flags instead of an ID, and `--json`. */
export const bulkOutputSchema = documentSchema({
  dryRun: field.flag('Whether `--dry-run` was given.'),
  matched: field.count('How many match; the results have at most 10,000 of them.'),
  changed: field.count('How many were changed.'),
  failed: field.count('How many could not be changed; then the exit code is 1.'),
  results: listField('Newest first.', {
    id: field.text('The ID of the flow or task.'),
    status: field(z.enum([...new Set([...FLOW_STATUSES, ...TASK_STATUSES])]), 'Its state now.'),
    outcome: field(
      z.enum(['changed', 'failed', 'unchanged']),
      '`unchanged` with `--dry-run`, or when the user declined.',
    ),
    error: field.textOrNull('Why it could not be changed.'),
  }),
});

/** `svc flow wait --json`. */
export const flowOutputSchema = documentSchema({ flow: field(flowSchema, 'The flow.') });

/** `svc flow prune --json`. */
export const flowPruneOutputSchema = documentSchema({
  pruned: field.flag('False when the user declined.'),
  flows: field.count('Deleted flows.'),
  tasks: field.count('Deleted tasks.'),
});

/** `svc task list --json`. */
export const taskListOutputSchema = documentSchema({
  tasks: field(z.array(taskSchema), 'Newest first.'),
  total: field.count('How many there are without `--limit`.'),
  findings: field(
    z.optional(z.array(taskFinding)),
    'With `--audit`: problems found, errors first.',
  ),
  paused: field(z.array(pauseSchema), 'Runtimes whose tasks wait until `svc task resume`.'),
});

/** `svc task show --json`. */
export const taskShowOutputSchema = documentSchema({
  task: field(taskSchema, 'The task.'),
  flow: field(z.nullable(flowSchema), 'The flow it belongs to.'),
  result: field(
    z.optional(z.unknown()),
    'What its worker returned; left out when there is nothing.',
  ),
  history: field(z.array(historyEntrySchema), 'What happened to it, oldest first.'),
});

/** `svc task wait`, `cancel`, `retry`, `complete` and `fail` with `--json`. */
export const taskOutputSchema = documentSchema({ task: field(taskSchema, 'The task.') });

/** `svc task claim --json`. */
export const taskClaimOutputSchema = documentSchema({
  task: field(z.nullable(taskSchema), 'The task; `null` when none is queued.'),
  flow: field(z.nullable(flowSchema), 'The flow it belongs to.'),
  leaseToken: field.textOrNull('The secret that every report on the task needs; shown only here.'),
});

/** `svc task pause` and `resume` with `--json`. */
export const taskPauseOutputSchema = documentSchema({
  paused: field(z.array(pauseSchema), 'All runtimes whose tasks wait, after the change.'),
});

/** `svc task heartbeat --json`. */
export const taskHeartbeatOutputSchema = documentSchema({
  task: field(taskSchema, 'The task after the report.'),
  cancelRequested: field.flag('Stop, and run `svc task fail`.'),
});

/** `svc notification list --json`. */
export const notificationListOutputSchema = documentSchema({
  notifications: field(z.array(notificationSchema), 'Newest first.'),
  total: field.count('How many fit the filter, however many are listed.'),
});

/** `svc notification show --json`. */
export const notificationShowOutputSchema = documentSchema({
  notification: field(notificationSchema, 'The notification.'),
  payload: field(z.unknown(), 'What the target gets.'),
});

/** `svc notification retry --json`. */
export const notificationRetryOutputSchema = documentSchema({
  dryRun: field.flag('Whether nothing was changed.'),
  retried: field(z.array(notificationSchema), 'What is delivered again, oldest first.'),
  unknownTargets: field.count('How many are left because their target is not configured.'),
});

/** The documents without their warnings, which the command base adds. */
export type FlowListOutput = DocumentOf<typeof flowListOutputSchema>;
export type FlowShowOutput = DocumentOf<typeof flowShowOutputSchema>;
export type FlowHistoryOutput = DocumentOf<typeof flowHistoryOutputSchema>;
export type FlowCancelOutput = DocumentOf<typeof flowCancelOutputSchema>;
export type BulkOutput = DocumentOf<typeof bulkOutputSchema>;
export type FlowOutput = DocumentOf<typeof flowOutputSchema>;
export type FlowPruneOutput = DocumentOf<typeof flowPruneOutputSchema>;
export type NotificationListOutput = DocumentOf<typeof notificationListOutputSchema>;
export type NotificationShowOutput = DocumentOf<typeof notificationShowOutputSchema>;
export type NotificationRetryOutput = DocumentOf<typeof notificationRetryOutputSchema>;
export type TaskListOutput = DocumentOf<typeof taskListOutputSchema>;
export type TaskShowOutput = DocumentOf<typeof taskShowOutputSchema>;
export type TaskOutput = DocumentOf<typeof taskOutputSchema>;
export type TaskClaimOutput = DocumentOf<typeof taskClaimOutputSchema>;
export type TaskHeartbeatOutput = DocumentOf<typeof taskHeartbeatOutputSchema>;
export type TaskPauseOutput = DocumentOf<typeof taskPauseOutputSchema>;
