import type { ConfigImportOutput } from './output-schemas.js';
import type { ImportPlan } from './plan-import.js';

/** The JSON document of an import. */
export function importOutput(
  { program, source, items, file, diff, notes }: ImportPlan,
  applied: boolean,
): ConfigImportOutput {
  return {
    from: program,
    source,
    items: [...items],
    file,
    diff: [...diff],
    notes: notes.map((note) => ({ file: note.file, entries: note.entries.length })),
    applied,
  };
}
