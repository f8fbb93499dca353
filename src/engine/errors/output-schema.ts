import * as z from 'zod/mini';

/**
 * Describes a field of a JSON document in Markdown. docs/json.md is generated from these descriptions;
 * every field has one.
 */
export function field<T extends z.ZodMiniType>(schema: T, meaning: string): T {
  return schema.check(z.describe(meaning));
}

/** `warnings` of every JSON document; messages and hints are for people, codes for programs. */
export const warningsSchema = field(
  z.array(
    z.strictObject({
      code: field(z.string(), 'For programs.'),
      message: field(z.string(), 'For people.'),
      hint: field(z.optional(z.string()), 'What to do about it.'),
    }),
  ),
  'Problems that did not fail the command, see [warning codes](errors.md#warning-codes); usually empty.',
);
