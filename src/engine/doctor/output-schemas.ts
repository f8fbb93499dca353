import * as z from 'zod/mini';
import { warningsSchema } from '../errors/output-schema.js';

/*
 * The schema of the JSON document. It is checked by tests and makes docs/json.md; no command loads it.
 */

const count = z.int().check(z.minimum(0));
const position = z.int().check(z.minimum(1));

const finding = z.strictObject({
  code: z.string(),
  severity: z.enum(['fault', 'note', 'warning']),
  message: z.string(),
  cause: z.optional(z.string()),
  place: z.optional(
    z.strictObject({
      file: z.string(),
      line: z.optional(position),
      column: z.optional(position),
    }),
  ),
  hint: z.optional(z.string()),
  mend: z.optional(
    z.strictObject({
      title: z.string(),
      safe: z.boolean(),
      diff: z.array(
        z.strictObject({ kind: z.enum(['added', 'context', 'removed']), text: z.string() }),
      ),
    }),
  ),
});

/** `svc config doctor --json`. */
export const doctorOutputSchema = z.strictObject({
  ok: z.boolean(),
  counts: z.strictObject({ ok: count, warnings: count, faults: count }),
  checks: z.array(
    z.strictObject({
      check: z.string(),
      state: z.enum(['fault', 'off', 'ok', 'warning']),
      summary: z.string(),
      findings: z.array(finding),
    }),
  ),
  applied: z.array(
    z.strictObject({
      check: z.string(),
      title: z.string(),
      failure: z.optional(z.string()),
    }),
  ),
  warnings: z.optional(warningsSchema),
});
