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
export * from './run-doctor.js';
