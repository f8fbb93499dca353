export type { CheckName, CheckOutcome, Diagnosis } from '../output-schemas.js';
export { diagnose, diagnoseNamed, type VectorsOutcome } from './diagnose.js';
export { CHECKS, type DiagnosisEvent, type DiagnosisWork } from './events.js';
export { connectTo, failure } from './provider-checks.js';
