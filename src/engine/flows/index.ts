/*
 * Durable flows and their tasks. Imported directly because they load zod: `action-schemas.js` (validates
 * requests) and `record-schemas.js` (for OpenAPI and the documentation).
 */
export type { FlowAction } from './action-schemas.js';
export type { FlowFinding, TaskFinding } from './audit.js';
export { type Changed, changeMany, MOST_CHANGED } from './change-many.js';
export { fromJsonText, type JsonObject, type JsonValue } from './fields.js';
export type { FlowAnswer, FlowCaller, FlowRejection, Idempotency } from './flow-action.js';
export {
  ACTIVE_FLOW_STATUSES,
  FLOW_STATUSES,
  type FlowRecord,
  type FlowStatus,
  flowOutput,
  flowView,
} from './flow-record.js';
export type { FlowFilter, TaskFilter } from './flow-store.js';
export type { HistoryEntry } from './history.js';
export {
  type ConfiguredTarget,
  type NotificationRecord,
  notificationOutput,
  notificationTargets,
} from './notification-record.js';
export {
  type Flows,
  flowsFile,
  openExistingFlows,
  openFlows,
  UNSTORABLE,
} from './open-flows.js';
export type {
  FlowCounts,
  FlowEntry,
  FlowHistory,
  Page,
  ShownTask,
  WaitOptions,
} from './operator-flows.js';
export {
  bulkOutput,
  flowEntryOutput,
  flowHistoryOutput,
  flowListOutput,
  flowShowOutput,
  taskListOutput,
  taskShowOutput,
} from './output.js';
export type {
  BulkOutput,
  FlowCancelOutput,
  FlowHistoryOutput,
  FlowListOutput,
  FlowOutput,
  FlowPruneOutput,
  FlowShowOutput,
  NotificationListOutput,
  NotificationRetryOutput,
  NotificationShowOutput,
  TaskClaimOutput,
  TaskHeartbeatOutput,
  TaskListOutput,
  TaskOutput,
  TaskPauseOutput,
  TaskShowOutput,
} from './output-schemas.js';
export type { FlowSchedule, MadeFlow, ScheduleOutcome, ScheduleRecord } from './schedules.js';
export {
  ACTIVE_TASK_STATUSES,
  type PauseRecord,
  pauseOutput,
  TASK_RUNTIMES,
  TASK_STATUSES,
  type TaskRecord,
  type TaskStatus,
  taskOutput,
  taskView,
} from './task-record.js';
export type { ClaimedTask } from './tasks/claim-task.js';
export type { LeaseAnswer, LeaseRefusal, TaskLease } from './tasks/report-task.js';
export { opensSameFlows } from './work.js';
