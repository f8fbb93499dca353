export type {
  FlowAction,
  FlowAnswer,
  FlowCaller,
  FlowRejection,
  Idempotency,
} from './flow-action.js';
export type { FlowRecord, FlowStatus, NotifyPolicy } from './flow-record.js';
export type { JsonObject, JsonValue } from './json.js';
export { type Flows, openFlows } from './open-flows.js';
export type { TaskRecord, TaskStatus } from './task-record.js';
export { flowView, taskView } from './views.js';
export type { FlowsChange } from './work.js';
