import * as z from 'zod/mini';
import type { DeepReadonly } from '../../config/index.js';
import { warningsSchema as warnings } from '../../errors/output-schema.js';

/*
 * Schemas of the JSON documents that `svc memory export` and `svc memory import` print. They are
 * checked by tests and make docs/json.md; no command loads them.
 */

const count = z.int().check(z.minimum(0));
const agent = z.nullable(z.string());

/** `svc memory export --json`. */
export const exportOutputSchema = z.strictObject({
  agent,
  file: z.string(),
  documents: count,
  vectors: count,
  bytes: count,
  skipped: z.array(
    z.strictObject({ path: z.string(), reason: z.string(), detail: z.optional(z.string()) }),
  ),
  warnings: z.optional(warnings),
});

/** `svc memory import --json`. */
export const importOutputSchema = z.strictObject({
  agent,
  into: z.string(),
  imported: z.boolean(),
  written: z.array(z.string()),
  replaced: z.array(z.strictObject({ path: z.string(), backup: z.string() })),
  kept: z.array(z.string()),
  same: count,
  notIndexed: count,
  vectors: z.strictObject({ inFile: count, used: count }),
  warnings: z.optional(warnings),
});

type Output<T> = DeepReadonly<Omit<T, 'warnings'>>;

export type ExportOutput = Output<z.infer<typeof exportOutputSchema>>;
export type ImportOutput = Output<z.infer<typeof importOutputSchema>>;
