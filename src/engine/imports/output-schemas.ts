import * as z from 'zod/mini';
import {
  type DocumentOf,
  diffSchema,
  documentSchema,
  field,
  listField,
} from '../errors/output-schema.js';
import { IMPORT_PROGRAMS } from './imported.js';

/** `svc config import --json`. */
export const configImportOutputSchema = documentSchema({
  from: field(z.enum(IMPORT_PROGRAMS), 'The other program.'),
  source: field.text('Absolute path of what was read.'),
  items: listField('What becomes of each setting.', {
    outcome: field(
      z.enum(['taken', 'translated', 'present', 'conflict', 'left']),
      '`present`: svc.json has the same value; `conflict`: it has another, which stays.',
    ),
    from: field.text('Where it is in the other program.'),
    to: field.textOrNull('The setting of svc.'),
    why: field.textOrNull('Why it is left, or what differs.'),
  }),
  file: field.text('Absolute path of the configuration.'),
  diff: field(diffSchema, 'The changes of the configuration, secrets masked.'),
  notes: listField('The notes that are written.', {
    file: field.text('Absolute path of the note.'),
    entries: field(z.int(), 'Number of entries that are added to it.'),
  }),
  applied: field.flag('False with `--dry-run`, without changes, and if you declined.'),
});

export type ConfigImportOutput = DocumentOf<typeof configImportOutputSchema>;
