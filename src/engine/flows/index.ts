// Durable flows and their tasks; what they are is in flow-model/.
export { type UnclaimedTasks, unclaimedProblem } from './audit.js';
export type { FlowAnswer, FlowCaller, FlowRejection, Idempotency } from './flow-action.js';
export { type ConfiguredTarget, notificationTargets, opensSameFlows } from './flow-policy.js';
export { type Page, storeBackoffMs } from './flow-store.js';
export * from './open-flows.js';
export {
  type ChangeOutcome,
  changeMany,
  type FlowCounts,
  type FlowDetails,
  type FlowEntry,
  type FlowHistory,
  MOST_CHANGED,
  type TaskDetails,
  type WaitOptions,
} from './operator-flows.js';
export * from './output.js';
export type * from './output-schemas.js';
export type { FlowSchedule, ScheduleOutcome } from './schedules.js';
export type { FlowFilter } from './store/flow-table.js';
export type { TaskFilter } from './store/task-table.js';
export { waitForTask } from './task-store.js';
export type {
  ClaimedTask,
  LeaseAnswer,
  TaskFailure,
  TaskLease,
  TaskSuccess,
} from './tasks/task-lease.js';
