export { diagnose } from './diagnose.js';
export { diagnoseNamed } from './diagnose-named.js';
export {
  CHECKS,
  type CheckName,
  type CheckOutcome,
  type Diagnosis,
  type DiagnosisEvent,
} from './events.js';
