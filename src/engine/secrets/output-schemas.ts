import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  failureSchema,
  field,
  listField,
  locationFields,
  objectField,
} from '../errors/output-schema.js';

/** `svc secrets check --json`. */
export const secretsCheckOutputSchema = documentSchema({
  file: field(
    z.nullable(z.string()),
    'Absolute path of the configuration; `null` when there is none.',
  ),
  ok: field(z.boolean(), 'Whether every secret can be read.'),
  secrets: listField('One entry per place; a reference in two places has two.', {
    path: field(z.string(), 'The configuration key.'),
    location: objectField('Where its value is written.', locationFields),
    source: field(
      z.enum(['env', 'exec', 'file', 'plain']),
      'Where it is read from; `plain`: the configuration file itself.',
    ),
    spoken: field(z.string(), 'How svc names it in messages.'),
    resolves: field(z.boolean(), 'Whether it could be read.'),
    length: field(
      z.nullable(z.enum(['long', 'short', 'tiny'])),
      '`long`: 24 characters or more. `short`: 8 to 23. `tiny`: fewer, and not masked in output. `null` where it could not be read.',
    ),
    error: field(z.nullable(failureSchema), 'Why it could not be read; `null` where it could.'),
  }),
});

export type SecretsCheckOutput = DocumentOf<typeof secretsCheckOutputSchema>;
