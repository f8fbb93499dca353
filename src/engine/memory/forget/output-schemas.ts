import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  line,
  listField,
} from '../../errors/output-schema.js';
import { agentId, path } from '../output-schemas.js';

const place = {
  path,
  startLine: field(line, '1-based.'),
  endLine: field(line, 'Included.'),
};
const changedFile = z.strictObject({
  path,
  deleted: field.flag('Whether it was deleted.'),
  backup: field.text('Absolute path of the backup.'),
});
const stores = listField('Other stores of memory text, besides the files.', {
  store: field.text('Its name.'),
  changed: field.count('Number of entries removed or rewritten.'),
  clean: field.flag(
    'False if forgotten bytes may still be in its files, because another process reads them; see `FORGET_UNFINISHED`.',
  ),
});

export const forgetOutputSchema = documentSchema({
  agent: agentId,
  id: field.textOrNull('Id for `--undo`; `null` if the user declined.'),
  passages: listField('What is forgotten.', {
    ...place,
    whole: field.flag('Whether it is a whole file.'),
    text: field.text('The lines, joined by `\\n`.'),
  }),
  alsoIn: listField('Copies of the same lines elsewhere, which are forgotten too.', place),
  files: field(z.array(changedFile), 'Changed files, with `--from-file`.'),
  remains: listField(
    'With `--from-file`: lines that still contain it among other words, or a secret from it. The exit code is 1 then.',
    place,
  ),
  stores,
});

export const forgetListOutputSchema = documentSchema({
  agent: agentId,
  entries: listField('One entry per command.', {
    id: field.text('Id for `--undo`.'),
    at: field.time('When it was forgotten.'),
    passages: listField('Where it was then.', place),
    files: field(z.array(changedFile), 'Files changed for it.'),
  }),
});

export const forgetUndoOutputSchema = documentSchema({
  agent: agentId,
  id: field.text('The id as given.'),
  undone: field.flag('False if the user declined.'),
  stillIn: field.texts('Ids of entries that contain some of it, too; that stays forgotten.'),
  restored: field.texts('Restored files.'),
  kept: listField('Files changed since, which are left as they are.', {
    path,
    backup: changedFile.shape.backup,
  }),
  stores,
});

export type ForgetOutput = DocumentOf<typeof forgetOutputSchema>;
export type ForgetListOutput = DocumentOf<typeof forgetListOutputSchema>;
export type ForgetUndoOutput = DocumentOf<typeof forgetUndoOutputSchema>;
