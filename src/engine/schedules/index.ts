/* Flows that are created at set times. */
export {
  configuredSchedule,
  configuredSchedules,
  type Schedule,
} from './configured-schedules.js';
export { listSchedules } from './list-schedules.js';
export type {
  ScheduleListOutput,
  ScheduleNextOutput,
  ScheduleRunOutput,
} from './output-schemas.js';
export { runSchedule } from './run-schedule.js';
export { ScheduleRunner } from './schedule-runner.js';
