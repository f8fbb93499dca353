/* Flows that are created at set times. */
export {
  configuredSchedule,
  configuredSchedules,
  invalidSchedule,
  listSchedules,
  runSchedule,
  type Schedule,
} from './configured-schedules.js';
export type * from './output-schemas.js';
export { type ScheduleRunner, scheduleRunner } from './schedule-runner.js';
