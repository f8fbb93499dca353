import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  line,
  listOf,
} from '../../errors/output-schema.js';
import { searchMode } from '../output-schemas.js';

const passage = {
  path: field(z.string(), 'The file, as `svc memory get` takes it.'),
  startLine: field(line, 'First line.'),
  endLine: field(z.number(), 'Last line, included.'),
};

/** `svc memory log --json`. */
export const logOutputSchema = documentSchema({
  agent: field(z.string(), 'Its id.'),
  enabled: field(z.boolean(), 'Whether searches are logged now (`memory.searchLog`).'),
  searches: field(
    listOf({
      at: field(z.iso.datetime(), 'When it was answered.'),
      query: field(z.string(), 'The query, with secrets masked.'),
      mode: field(searchMode, 'How it was answered.'),
      hits: field(
        listOf({ ...passage, score: field(z.number(), '0 to 1.') }),
        'The results, the best first.',
      ),
      opened: field(
        listOf({ ...passage, at: field(z.iso.datetime(), 'When.') }),
        'What was opened of its hits within an hour, in order.',
      ),
    }),
    'The newest first.',
  ),
});

export type LogOutput = DocumentOf<typeof logOutputSchema>;
