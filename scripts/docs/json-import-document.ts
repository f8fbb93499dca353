import { configImportOutputSchema } from '../../src/engine/imports/output-schemas.js';
import type { JsonDocument } from './json-document.js';

/** The document of `svc config import`. */
export const IMPORT_DOCUMENT: JsonDocument = {
  title: 'svc config import',
  introduction:
    'What is imported from another program; see [moving-in.md](moving-in.md). With `--dry-run`, nothing is written.',
  schema: configImportOutputSchema,
  example: {
    from: 'qmd',
    source: '/home/ada/.config/qmd/index.yml',
    items: [
      {
        outcome: 'taken',
        from: 'collections.notes',
        to: 'agents.defaults.memorySearch.extraPaths',
        why: null,
      },
      {
        outcome: 'left',
        from: 'collections.notes.update',
        to: null,
        why: 'svc runs no shell commands',
      },
    ],
    file: '/home/ada/.svc/svc.json',
    diff: [{ kind: 'added', text: '      "extraPaths": ["/home/ada/notes"]' }],
    notes: [],
    applied: true,
    warnings: [],
  },
};
