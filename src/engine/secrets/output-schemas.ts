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
  file: field.textOrNull('Absolute path of the configuration; `null` when there is none.'),
  ok: field.flag('Whether every secret can be read.'),
  secrets: listField('One entry per place; a reference in two places has two.', {
    path: field.text('The configuration key.'),
    location: objectField('Where its value is written.', locationFields),
    source: field(
      z.enum(['env', 'exec', 'file', 'plain']),
      'Where it is read from; `plain`: the configuration file itself.',
    ),
    spoken: field.text('How svc names it in messages.'),
    resolves: field.flag('Whether it could be read.'),
    length: field(
      z.nullable(z.enum(['long', 'short', 'tiny'])),
      '`long`: 24 characters or more. `short`: 8 to 23. `tiny`: fewer, and not masked in output. `null` where it could not be read.',
    ),
    error: field(z.nullable(failureSchema), 'Why it could not be read; `null` where it could.'),
  }),
});

export type SecretsCheckOutput = DocumentOf<typeof secretsCheckOutputSchema>;
