import * as z from 'zod/mini';
import type { DeepReadonly } from '../../config/index.js';
import { warningsSchema as warnings } from '../../errors/output-schema.js';

const count = z.int().check(z.minimum(0));
const line = z.int().check(z.minimum(1));

/** `svc dream backfill --json`: one of the last two, by its flags. */
export const dreamBackfillOutputSchema = z.strictObject({
  workspace: z.string(),
  agents: z.array(z.string()),
  id: z.nullable(z.string()),
  backfilled: z.optional(
    z.strictObject({
      dryRun: z.boolean(),
      notes: count,
      notesLeft: count,
      leans: z.strictObject({
        lasting: count,
        durable: count,
        unclear: count,
        situational: count,
      }),
      claims: z.array(
        z.strictObject({
          key: z.string().check(z.regex(/^[0-9a-f]{16}$/u)),
          text: z.string(),
          path: z.string(),
          startLine: line,
          endLine: line,
          lean: z.enum(['lasting', 'durable']),
        }),
      ),
      skipped: z.array(
        z.strictObject({ path: z.string(), reason: z.string(), detail: z.optional(z.string()) }),
      ),
    }),
  ),
  rolledBack: z.optional(z.strictObject({ claims: count })),
  warnings,
});

/** The document without its warnings, which the command base adds. */
export type DreamBackfillOutput = DeepReadonly<
  Omit<z.infer<typeof dreamBackfillOutputSchema>, 'warnings'>
>;
