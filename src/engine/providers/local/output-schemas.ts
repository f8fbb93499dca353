import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  objectField,
  objectOrNullField,
} from '../../errors/output-schema.js';
import { packagesFields } from '../../install/output-schemas.js';

/** `svc provider install local --json`. */
export const installLocalOutputSchema = documentSchema({
  runtime: objectField('node-llama-cpp, which computes the vectors.', {
    ...packagesFields,
    gpu: field.flag('Whether the GPU variants are included.'),
  }),
  model: objectOrNullField('`null` with `--no-model` and `--remove`.', {
    outcome: field(z.enum(['already', 'downloaded']), '`already`: it was already on disk.'),
    name: field.text('The reference without secrets, or the file name.'),
    path: field.text('Absolute path of the file.'),
    bytes: field.count('Size.'),
  }),
});

export type InstallLocalOutput = DocumentOf<typeof installLocalOutputSchema>;
