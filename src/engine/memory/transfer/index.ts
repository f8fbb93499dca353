/*
 * Exports and imports a memory as one file. Loaded by name:
 *   transfer.ts: exporting and importing in the builtin engine
 *   output-schemas.ts: zod schemas of the JSON documents, for tests and docs
 */

export { type ExportTally, writeExportFile } from './export-memory.js';
export type { ExistingFiles, ImportPlan } from './import-memory.js';
export {
  type ExportOutput,
  exportOutputSchema,
  type ImportOutput,
  importOutputSchema,
} from './output-schemas.js';
export type { ImportResult, Transfer } from './transfer.js';
