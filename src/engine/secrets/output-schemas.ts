import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';

/*
 * Schemas of the JSON documents that tell of secrets. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

/** `svc secrets check --json`. */
export const secretsCheckOutputSchema = z.strictObject({
  file: z.nullable(z.string()),
  ok: z.boolean(),
  secrets: z.array(
    z.strictObject({
      path: z.string(),
      location: z.strictObject({ file: z.string(), line: z.int(), column: z.int() }),
      source: z.enum(['env', 'exec', 'file', 'plain']),
      spoken: z.string(),
      resolves: z.boolean(),
      length: z.nullable(z.enum(['long', 'short', 'tiny'])),
      error: z.nullable(
        z.strictObject({ code: z.string(), message: z.string(), hint: z.optional(z.string()) }),
      ),
    }),
  ),
  warnings: z.optional(warnings),
});

export type SecretsCheckOutput = DeepReadonly<
  Omit<z.infer<typeof secretsCheckOutputSchema>, 'warnings'>
>;
