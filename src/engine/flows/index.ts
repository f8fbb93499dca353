export type {
  FlowAction,
  FlowAnswer,
  FlowCaller,
  FlowRejection,
  Idempotency,
} from './flow-action.js';
export type { FlowRecord, FlowStatus, NotifyPolicy } from './flow-record.js';
export type { JsonObject, JsonValue } from './json.js';
export type { NotificationOutbox } from './notification-outbox.js';
export type { NotificationRecord } from './notify/notification-record.js';
export type { NotificationPayload } from './notify/payload.js';
export { type Flows, openFlows } from './open-flows.js';
export type { TaskRecord, TaskStatus } from './task-record.js';
export type { TaskStore } from './task-store.js';
export type { ClaimedTask, ClaimRequest } from './tasks/claim-task.js';
export type { LeaseAnswer, LeaseRefusal, TaskLease } from './tasks/lease.js';
export type { HeartbeatAnswer } from './tasks/report-task.js';
export { flowView, taskView } from './views.js';
export type { FlowsChange } from './work.js';
