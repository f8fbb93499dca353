/* Flows that are created at set times. */
export * from './configured-schedules.js';
export type * from './output-schemas.js';
export { type ScheduleRunner, scheduleRunner } from './schedule-runner.js';
