import * as z from 'zod/mini';

/** `warnings` of every JSON document; messages and hints are for people, codes for programs. */
export const warningsSchema = z.array(
  z.strictObject({
    code: z.string(),
    message: z.string(),
    hint: z.optional(z.string()),
  }),
);
