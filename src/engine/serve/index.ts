/*
 * The long-lived process. Imported directly because they do not need the process: `log/*.js`,
 * `webhook-routes.js`, `watched-webhooks.js` (watches a running listener), `systemd-unit.js`,
 * `instance-lock.js`, the names in `services/*-service.js`.
 */

export type { LogLevel, LogRecord } from './log/log-record.js';
export type * from './output-schemas.js';
export * from './serve-process.js';
export { SERVICE_SWITCHES, type ServiceSwitch } from './service.js';
export type { ServeState, ServiceSnapshot } from './state-file.js';
