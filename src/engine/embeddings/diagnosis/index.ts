export { type DiagnoseOptions, diagnose } from './diagnose.js';
export {
  CHECKS,
  type CheckName,
  type CheckOutcome,
  type Diagnosis,
  type DiagnosisEvent,
} from './events.js';
export type { DiagnosedProvider, DiagnosisSubject } from './subject.js';
