import * as z from 'zod/mini';
import type { DeepReadonly } from '../../config/index.js';
import { warningsSchema as warnings } from '../../errors/output-schema.js';

/*
 * Schemas of the JSON documents that `svc memory forget` prints. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

const count = z.int().check(z.minimum(0));
const line = z.int().check(z.minimum(1));
const place = { path: z.string(), startLine: line, endLine: line };
const agent = z.nullable(z.string());
const changedFile = z.strictObject({ path: z.string(), deleted: z.boolean(), backup: z.string() });
const stores = z.array(z.strictObject({ store: z.string(), changed: count, clean: z.boolean() }));

/** `svc memory forget --json`. */
export const forgetOutputSchema = z.strictObject({
  agent,
  id: z.nullable(z.string()),
  passages: z.array(z.strictObject({ ...place, whole: z.boolean(), text: z.string() })),
  alsoIn: z.array(z.strictObject(place)),
  files: z.array(changedFile),
  stores,
  warnings: z.optional(warnings),
});

/** `svc memory forget --list --json`. */
export const forgetListOutputSchema = z.strictObject({
  agent,
  entries: z.array(
    z.strictObject({
      id: z.string(),
      at: z.iso.datetime(),
      passages: z.array(z.strictObject(place)),
      files: z.array(changedFile),
    }),
  ),
  warnings: z.optional(warnings),
});

/** `svc memory forget --undo --json`. */
export const forgetUndoOutputSchema = z.strictObject({
  agent,
  id: z.string(),
  undone: z.boolean(),
  restored: z.array(z.string()),
  kept: z.array(z.strictObject({ path: z.string(), backup: z.string() })),
  stores,
  warnings: z.optional(warnings),
});

type Output<T> = DeepReadonly<Omit<T, 'warnings'>>;

export type ForgetOutput = Output<z.infer<typeof forgetOutputSchema>>;
export type ForgetListOutput = Output<z.infer<typeof forgetListOutputSchema>>;
export type ForgetUndoOutput = Output<z.infer<typeof forgetUndoOutputSchema>>;
