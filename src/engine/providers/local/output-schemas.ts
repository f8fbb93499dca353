import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  objectOrNull,
} from '../../errors/output-schema.js';

const size = z.int().check(z.minimum(0));

/** `svc provider install local --json`. */
export const installLocalOutputSchema = documentSchema({
  runtime: field(
    z.strictObject({
      outcome: field(
        z.enum(['absent', 'already', 'installed', 'removed']),
        '`absent`: there was nothing to remove.',
      ),
      version: field(z.nullable(z.string()), 'Version; `null` if there is none.'),
      folder: field(z.nullable(z.string()), 'Absolute path of its (former) folder.'),
      gpu: field(z.boolean(), 'Whether the GPU variants are included.'),
      bytes: field(size, 'Size on disk.'),
    }),
    'node-llama-cpp, which computes the vectors.',
  ),
  model: field(
    objectOrNull({
      outcome: field(z.enum(['already', 'downloaded']), '`already`: it was already on disk.'),
      name: field(z.string(), 'The reference without secrets, or the file name.'),
      path: field(z.string(), 'Absolute path of the file.'),
      bytes: field(size, 'Size.'),
    }),
    '`null` with `--no-model` and `--remove`.',
  ),
});

export type InstallLocalOutput = DocumentOf<typeof installLocalOutputSchema>;
