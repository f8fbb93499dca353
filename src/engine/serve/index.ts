export {
  type ServeEnd,
  type ServeOptions,
  ServeProcess,
  type StopReason,
} from './serve-process.js';
export { SERVICE_SWITCHES, type ServiceSwitch } from './service.js';
export type { ServiceSnapshot } from './service-snapshot.js';
export type { ObserveWebhooks } from './services/webhooks-service.js';
export type { ServeState } from './state-file.js';
