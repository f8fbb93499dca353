import * as z from 'zod/mini';
import type { DeepReadonly } from '../../config/index.js';

/*
 * Schema of the JSON document that `svc provider install local` prints. It is checked by tests and
 * makes docs/json.md; no command loads it.
 */

const size = z.int().check(z.minimum(0));

/** `svc provider install local --json`. */
export const installLocalOutputSchema = z.strictObject({
  runtime: z.strictObject({
    outcome: z.enum(['absent', 'already', 'installed', 'removed']),
    version: z.nullable(z.string()),
    folder: z.nullable(z.string()),
    gpu: z.boolean(),
    bytes: size,
  }),
  model: z.nullable(
    z.strictObject({
      outcome: z.enum(['already', 'downloaded']),
      name: z.string(),
      path: z.string(),
      bytes: size,
    }),
  ),
  warnings: z.optional(
    z.array(
      z.strictObject({ code: z.string(), message: z.string(), hint: z.optional(z.string()) }),
    ),
  ),
});

/** See {@link installLocalOutputSchema}. */
export type InstallLocalOutput = DeepReadonly<
  Omit<z.infer<typeof installLocalOutputSchema>, 'warnings'>
>;

/** The model of an {@link InstallLocalOutput}. */
export type InstalledModel = NonNullable<InstallLocalOutput['model']>;
