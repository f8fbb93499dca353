import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema } from '../errors/output-schema.js';

/*
 * Schemas of the JSON documents that the provider commands print. They are checked by tests and
 * make docs/json.md; no command loads them.
 */

const provider = z.enum(['github-copilot']);

/** `svc provider login --json`. */
export const loginOutputSchema = z.strictObject({
  provider,
  account: z.optional(z.string()),
  file: z.string(),
  warnings: z.optional(warningsSchema),
});

/** `svc provider logout --json`. */
export const logoutOutputSchema = z.strictObject({
  provider,
  file: z.string(),
  outcome: z.enum(['deleted', 'kept', 'none']),
  warnings: z.optional(warningsSchema),
});

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
  warnings: z.optional(warningsSchema),
});

/** The document without the warnings, which the command adds at the end. */
type Output<T> = DeepReadonly<Omit<T, 'warnings'>>;

export type LoginOutput = Output<z.infer<typeof loginOutputSchema>>;
export type LogoutOutput = Output<z.infer<typeof logoutOutputSchema>>;
export type InstallLocalOutput = Output<z.infer<typeof installLocalOutputSchema>>;
