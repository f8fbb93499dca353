export type {
  CheckResult,
  CheckState,
  DoctorEvent,
  DoctorReport,
  Finding,
  FindingPlace,
  Fix,
} from './check.js';
export { type DoctorOutput, doctorOutput } from './output.js';
export { DOCTOR_CHECKS, QUIET_CHECKS } from './registry.js';
export {
  type AppliedFix,
  applyFix,
  type FixedReport,
  fixAll,
  type RunDoctorOptions,
  reportOf,
  runDoctor,
} from './run-doctor.js';
export { thisHost } from './world.js';
