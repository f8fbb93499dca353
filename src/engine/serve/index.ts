export { runningServeState } from './is-serving.js';
export {
  type ServeEnd,
  type ServeOptions,
  ServeProcess,
  type StopReason,
} from './serve-process.js';
export { SERVICE_SWITCHES, type ServiceSwitch } from './service.js';
export type { ServiceSnapshot, ServiceState } from './service-snapshot.js';
export { readStateFile, type ServeState } from './state-file.js';
