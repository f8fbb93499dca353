import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';

/*
 * Schemas of the JSON documents of the long-lived process. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

const count = z.int().check(z.minimum(0));

/** One service, as `svc serve` and `svc status` print it. */
export const serviceSchema = z.strictObject({
  name: z.string(),
  state: z.enum(['draining', 'ready', 'starting', 'stopped', 'waiting']),
  since: z.iso.datetime(),
  event: z.nullable(z.string()),
  eventAt: z.nullable(z.iso.datetime()),
  restarts: count,
  failure: z.nullable(
    z.strictObject({
      code: z.nullable(z.string()),
      message: z.string(),
      mend: z.nullable(z.string()),
    }),
  ),
  retryAt: z.nullable(z.iso.datetime()),
});

/** `svc serve --json`, printed when it ends. */
export const serveOutputSchema = z.strictObject({
  reason: z.enum(['SIGINT', 'SIGTERM', 'crash', 'quit']),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  drained: z.boolean(),
  services: z.array(serviceSchema),
  warnings,
});

/** `svc serve --print-systemd --json`. */
export const systemdOutputSchema = z.strictObject({ unit: z.string(), warnings });

/** `svc logs --json` without `--follow`. */
export const logsOutputSchema = z.strictObject({
  file: z.string(),
  lines: z.array(
    z.strictObject({
      level: z.nullable(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])),
      time: z.nullable(z.string()),
      message: z.string(),
      fields: z.record(z.string(), z.unknown()),
    }),
  ),
  warnings,
});

type Output<S extends z.ZodMiniType> = DeepReadonly<Omit<z.infer<S>, 'warnings'>>;

/** A service as it is printed. */
export type ServiceOutput = DeepReadonly<z.infer<typeof serviceSchema>>;
/** `svc serve` without its warnings, which the command base adds. */
export type ServeOutput = Output<typeof serveOutputSchema>;
/** `svc serve --print-systemd`, likewise. */
export type SystemdOutput = Output<typeof systemdOutputSchema>;
/** `svc logs`, likewise. */
export type LogsOutput = Output<typeof logsOutputSchema>;
