import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  line,
  listField,
} from '../../errors/output-schema.js';

/* `sessions forget` prints the document of `svc memory forget`. */

const agent = field.textOrNull('Id of the agent.');

const entry = {
  id: field.text('Its ID; the beginning is sufficient.'),
  path: field.text('As in citations.'),
  reader: field.text('Who wrote it: a reader, `chatgpt` or `claude`.'),
  title: field.text('Its title, or the beginning of its first message.'),
  state: field(
    z.enum(['archived', 'imported', 'kept', 'live']),
    '`live`: only its agent has it; `kept`: the archive has it too; `archived`: its agent deleted it; `imported`: from a data export.',
  ),
  startedAt: field.timeOrNull('Its first message; `null` without times.'),
  lastAt: field.time(
    'When it was last continued: the time of its last turn; without times, when its file last changed.',
  ),
  archivedBytes: field.count('Its size in the archive, compressed.'),
};

/** `svc memory sessions list --json`. */
export const sessionListOutputSchema = documentSchema({
  agent,
  sessions: listField('Newest first.', entry),
  total: field.count('How many there are, without `--limit`.'),
});

/** `svc memory sessions show --json` and `export --json`. */
export const sessionOutputSchema = documentSchema({
  agent,
  ...entry,
  turns: listField('What was said, in order.', {
    line: field(line, 'As in citations.'),
    role: field(z.enum(['assistant', 'user']), 'Who said it.'),
    at: field.timeOrNull('When; `null` without a time.'),
    text: field.text('The whole text, with secrets masked.'),
  }),
});

/** `svc memory sessions list` without its warnings, which the command base adds. */
export type SessionListOutput = DocumentOf<typeof sessionListOutputSchema>;
/** A conversation in a list. */
export type SessionEntry = SessionListOutput['sessions'][number];
/** `svc memory sessions show`, likewise. */
export type SessionOutput = DocumentOf<typeof sessionOutputSchema>;
