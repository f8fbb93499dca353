import {
  type DocumentOf,
  documentSchema,
  field,
  listField,
  objectField,
} from '../../errors/output-schema.js';
import { agentId, skipped } from '../output-schemas.js';

export const exportOutputSchema = documentSchema({
  agent: agentId,
  file: field.text('Absolute path of the export.'),
  documents: field.count('Number of notes.'),
  vectors: field.count('Number of vectors.'),
  bytes: field.count('Its size, without the last line.'),
  skipped: field(skipped, 'Notes left out because they cannot be read or contain forgotten text.'),
});

export const importOutputSchema = documentSchema({
  agent: agentId,
  into: field.text('Absolute path of the target folder.'),
  imported: field.flag('False if the user declined.'),
  written: field.texts('New files, relative to `into`.'),
  replaced: listField('Existing files with other content, with `--existing replace`.', {
    path: field.text('Relative to `into`.'),
    backup: field.text('Absolute path of the backup.'),
  }),
  kept: field.texts('Existing files with other content, with `--existing keep`.'),
  same: field.count('Number of existing files with the same content.'),
  notIndexed: field.count(
    'Number of notes that are not indexed at their new location: it is outside this memory, or their format is not included.',
  ),
  vectors: objectField('Vectors of the export.', {
    inFile: field.count('Number in the export.'),
    used: field.count('Number that matched a passage without one.'),
  }),
});

export type ExportOutput = DocumentOf<typeof exportOutputSchema>;
export type ImportOutput = DocumentOf<typeof importOutputSchema>;
