import * as z from 'zod/mini';
import { SESSION_READERS } from '../config/index.js';
import { WRITE_ORIGINS } from '../dreaming/store/write-records.js';
import {
  type DocumentOf,
  documentSchema,
  field,
  line,
  listField,
} from '../errors/output-schema.js';
import { agentId as agent, path, workspace } from '../memory/output-schemas.js';

export const memoryAddOutputSchema = documentSchema({
  agent,
  workspace,
  outcome: field(z.enum(['added', 'known']), '`known`: the file already had it.'),
  id: field.textOrNull('Id for `svc memory undo`; `null` if nothing was written.'),
  path,
  startLine: field(line, '1-based.'),
  endLine: field(line, 'Included.'),
  citation: field.text('Of the lines, for `svc memory get` and `edit`.'),
  text: field.text('The lines as they are in the file, joined by `\\n`.'),
});
export type MemoryAddOutput = DocumentOf<typeof memoryAddOutputSchema>;

export const memoryUndoOutputSchema = documentSchema({
  agent,
  workspace,
  writes: listField('Newest first.', {
    id: field.text('Its id.'),
    path,
    text: field.text('What had been added.'),
    outcome: field(
      z.enum(['edited', 'undone']),
      '`edited`: the text was changed since, so it was left alone; the exit code is 1.',
    ),
  }),
});
export type MemoryUndoOutput = DocumentOf<typeof memoryUndoOutputSchema>;

export const memoryUndoListOutputSchema = documentSchema({
  agent,
  workspace,
  writes: listField('Newest first.', {
    id: field.text('Id for `svc memory undo`.'),
    at: field.time('When it was written.'),
    path,
    origin: field(
      z.enum(WRITE_ORIGINS),
      'Who wrote it: `svc memory add`, an agent, or the capture of a conversation.',
    ),
    text: field.text('What was added.'),
  }),
});
export type MemoryUndoListOutput = DocumentOf<typeof memoryUndoListOutputSchema>;

export const memoryEditOutputSchema = documentSchema({
  path,
  file: field.text('Absolute path.'),
  line: field(line, 'The first line of the citation; 1 for a path.'),
});
export type MemoryEditOutput = DocumentOf<typeof memoryEditOutputSchema>;

export const memoryCaptureOutputSchema = documentSchema({
  agent,
  workspace,
  reader: field(z.enum(SESSION_READERS), 'The format of the transcript.'),
  session: field.text('Name of the conversation.'),
  turns: field.count('Turns that were read now.'),
  decisions: listField('In the order of the conversation.', {
    text: field.text('The sentence.'),
    outcome: field(
      z.enum(['added', 'forgotten', 'found', 'known']),
      '`found`: with `--dry-run`; `known`: the note already had it; `forgotten`: it was forgotten, and not added.',
    ),
    citation: field.textOrNull('Where it is.'),
  }),
});
export type MemoryCaptureOutput = DocumentOf<typeof memoryCaptureOutputSchema>;
