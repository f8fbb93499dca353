import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  line,
  listOf,
  optionalObjectField,
} from '../../errors/output-schema.js';
import { fileFields, origin, path } from '../output-schemas.js';

/** `svc memory get --json`. */
export const getOutputSchema = documentSchema({
  path,
  origin,
  ...fileFields,
  media: optionalObjectField('Only for media; `text` contains the same facts.', {
    mimeType: field.text('Detected from the content.'),
    bytes: field.count('Size of the file.'),
    modified: field.time('Modification time.'),
    refused: field.textOrNull('Why the provider refused it; `null` otherwise.'),
  }),
  startLine: field(line, 'First returned line.'),
  endLine: field(z.int(), 'Last returned line.'),
  text: field.text('The lines, joined by `\\n`, without a trailing line end.'),
  totalLines: field.count('Number of lines in the file.'),
  truncated: field.flag('Whether the result was cut at the limit.'),
  turns: field(
    z.optional(
      listOf({
        line: field(line, 'Line in the transcript.'),
        role: field(z.enum(['assistant', 'user']), 'The speaker.'),
        at: field.timeOrNull('Time; `null` if the transcript has none.'),
        text: field.text('The message, cleaned, with secrets masked; line ends are kept.'),
        asked: field.flag('False for context around a citation.'),
      }),
    ),
    'Only for transcripts: the turns in these lines; `text` has one line per turn.',
  ),
});

export type GetOutput = DocumentOf<typeof getOutputSchema>;
