import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';

/*
 * The schema of the JSON document that `svc memory scope test` prints. It is checked by tests and
 * makes docs/json.md; no command loads it.
 */

const action = z.enum(['allow', 'deny']);
const chatType = z.enum(['direct', 'group', 'channel', 'explicit']);

/** `svc memory scope test --json`. */
export const scopeTestOutputSchema = z.strictObject({
  allowed: z.boolean(),
  rule: z.nullable(z.int().check(z.minimum(1))),
  why: z.string(),
  session: z.strictObject({
    key: z.nullable(z.string()),
    normalizedKey: z.nullable(z.string()),
    agent: z.nullable(z.string()),
    chatType: z.nullable(chatType),
    chatTypeFrom: z.nullable(z.enum(['given', 'key', 'main', 'webchat'])),
    channel: z.nullable(z.string()),
    conversation: z.nullable(z.string()),
  }),
  default: action,
  rules: z.array(
    z.strictObject({
      action,
      match: z.nullable(
        z.strictObject({
          channel: z.optional(z.string()),
          chatType: z.optional(chatType),
          keyPrefix: z.optional(z.string()),
          rawKeyPrefix: z.optional(z.string()),
        }),
      ),
      matches: z.boolean(),
    }),
  ),
  citations: z.strictObject({ mode: z.enum(['auto', 'on', 'off']), cites: z.boolean() }),
  warnings: z.optional(warnings),
});

export type ScopeTestOutput = DeepReadonly<Omit<z.infer<typeof scopeTestOutputSchema>, 'warnings'>>;
