/* Imported directly: trials.js (forget). */
export { askMemory } from './ask-memory.js';
export { draftLines, draftQuestions, writeDraftFile } from './draft-questions.js';
export { type EvalEvent, evaluateFile } from './evaluate.js';
export { meanMetrics, type QualityName } from './metrics.js';
export type { EvalDraftsOutput, EvalOutput } from './output-schemas.js';
