/*
 * Durable flows and their tasks. Imported directly because they load zod: `action-schemas.js` (validates
 * requests) and `record-schemas.js` (for OpenAPI and the documentation).
 */
export type { FlowAction } from '../flow-model/action-schemas.js';
export { fromJsonText, type JsonObject, type JsonValue } from '../flow-model/fields.js';
export {
  ACTIVE_FLOW_STATUSES,
  FLOW_STATUSES,
  type FlowRecord,
  type FlowStatus,
  flowOutput,
  flowView,
} from '../flow-model/flow-record.js';
export type { HistoryEntry } from '../flow-model/history-record.js';
export { type NotificationRecord, notificationOutput } from '../flow-model/notification-record.js';
export type { ScheduleRecord } from '../flow-model/schedule-record.js';
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
} from '../flow-model/task-record.js';
export type { FlowFinding, TaskFinding } from './audit.js';
export { type Changed, changeMany, MOST_CHANGED } from './change-many.js';
export type { FlowAnswer, FlowCaller, FlowRejection, Idempotency } from './flow-action.js';
export { opensSameFlows } from './flow-policy.js';
export type { Page } from './flow-store.js';
export { type ConfiguredTarget, notificationTargets } from './notification-targets.js';
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
export type { FlowSchedule, MadeFlow, ScheduleOutcome } from './schedules.js';
export type { FlowFilter } from './store/flow-table.js';
export type { TaskFilter } from './store/task-table.js';
export type { ClaimedTask } from './tasks/claim-task.js';
export type { LeaseAnswer, LeaseRefusal, TaskLease } from './tasks/report-task.js';
