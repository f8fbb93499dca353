export type { CheckName, CheckOutcome, Diagnosis } from '../output-schemas.js';
export { CHECKS } from './check-names.js';
export { diagnose, diagnoseNamed, type VectorsOutcome } from './diagnose.js';
export type { DiagnosisEvent, DiagnosisWork } from './events.js';
export { connectTo, failure } from './provider-checks.js';
