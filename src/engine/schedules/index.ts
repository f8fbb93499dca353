/* Flows that are created at set times. */
export {
  configuredSchedule,
  configuredSchedules,
  listSchedules,
  runSchedule,
  type Schedule,
} from './configured-schedules.js';
export type * from './output-schemas.js';
export { ScheduleRunner } from './schedule-runner.js';
