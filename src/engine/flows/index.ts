export type {
  FlowAction,
  FlowAnswer,
  FlowCaller,
  FlowRejection,
  Idempotency,
} from './flow-action.js';
export type { FlowRecord, FlowStatus } from './flow-record.js';
export type { JsonObject, JsonValue } from './json.js';
export type { NotificationRecord } from './notify/notification-record.js';
export { type Flows, flowsFile, openFlows } from './open-flows.js';
export type { TaskRecord, TaskStatus } from './task-record.js';
export type { ClaimedTask } from './tasks/claim-task.js';
export type { LeaseRefusal, TaskLease } from './tasks/lease.js';
