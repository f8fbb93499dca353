import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';

/*
 * Schemas of the JSON documents of the webhook commands. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

const count = z.int().check(z.minimum(0));

/** `svc webhook routes --json`. */
export const routesOutputSchema = z.strictObject({
  file: z.nullable(z.string()),
  enabled: z.boolean(),
  listening: z.nullable(z.string()),
  routes: z.array(
    z.strictObject({
      id: z.string(),
      path: z.string(),
      state: z.enum(['served', 'off', 'skipped']),
      sessionKey: z.string(),
      controllerId: z.string(),
      description: z.nullable(z.string()),
      secretSource: z.string(),
      fault: z.nullable(z.strictObject({ message: z.string(), hint: z.nullable(z.string()) })),
      requests: count,
      rejected: count,
      last: z.nullable(
        z.strictObject({
          at: z.iso.datetime(),
          status: z.int(),
          code: z.nullable(z.string()),
          action: z.nullable(z.string()),
        }),
      ),
    }),
  ),
  warnings,
});

/** `svc webhook call --json`. */
export const callOutputSchema = z.strictObject({
  url: z.string(),
  status: z.int(),
  answer: z.record(z.string(), z.unknown()),
  curl: z.string(),
  warnings,
});

/** `svc webhook secret generate --json`. */
export const secretOutputSchema = z.strictObject({ secret: z.string(), warnings });

type Output<S extends z.ZodMiniType> = DeepReadonly<Omit<z.infer<S>, 'warnings'>>;

/** `svc webhook routes` without its warnings, which the command base adds. */
export type RoutesOutput = Output<typeof routesOutputSchema>;
/** `svc webhook call`, likewise. */
export type CallOutput = Output<typeof callOutputSchema>;
/** `svc webhook secret generate`, likewise. */
export type SecretOutput = Output<typeof secretOutputSchema>;
