export type {
  CheckResult,
  DoctorEvent,
  DoctorReport,
  Finding,
  FindingPlace,
  Fix,
} from './check.js';
export { thisHost } from './check.js';
export type { DoctorOutput } from './output-schemas.js';
export { BACKGROUND_CHECKS, DOCTOR_CHECKS } from './registry.js';
export {
  type AppliedFix,
  applyFix,
  doctorOutput,
  type FixedReport,
  fixAll,
  type RunDoctorOptions,
  reportOf,
  runDoctor,
} from './run-doctor.js';
