import * as z from 'zod/mini';
import {
  count,
  type DeepReadonly,
  type DocumentOf,
  documentSchema,
  field,
  listOf,
  objectOrNull,
} from '../errors/output-schema.js';

/*
 * Schemas of the JSON output of the long-lived process. Tests check output against them and docs/json.md is
 * generated from them; no command loads them.
 */

/** One service, as `svc serve` and `svc status` print it. */
export const serviceSchema = z.strictObject({
  name: field(z.string(), 'Such as `health`, `webhooks`, or `memory:` and the id of an agent.'),
  state: field(
    z.enum(['draining', 'ready', 'starting', 'stopped', 'waiting']),
    'See [serve.md](serve.md#services).',
  ),
  since: field(z.iso.datetime(), 'When it entered this state.'),
  event: field(z.nullable(z.string()), 'The last event, for people; `null` if there is none.'),
  eventAt: field(z.nullable(z.iso.datetime()), 'When it happened.'),
  restarts: field(count, 'How often it was restarted after a failure.'),
  failure: field(
    objectOrNull({
      code: field(
        z.nullable(z.string()),
        "From [errors.md](errors.md#error-codes), or the system's; `null` for anything else.",
      ),
      message: field(z.string(), 'For people.'),
      hint: field(z.nullable(z.string()), 'How to fix it; `null` if unknown.'),
    }),
    'What is wrong; `null` if nothing is.',
  ),
  retryAt: field(z.nullable(z.iso.datetime()), 'When it is restarted; `null` unless `waiting`.'),
});

/** `svc serve --json`, printed when it ends. */
export const serveOutputSchema = documentSchema({
  reason: field(
    z.enum(['SIGINT', 'SIGTERM', 'crash', 'quit']),
    'A signal, `quit` for the key on the screen, or `crash` for a bug.',
  ),
  startedAt: field(z.iso.datetime(), 'When it started.'),
  endedAt: field(z.iso.datetime(), 'When it ended.'),
  drained: field(
    z.boolean(),
    'Whether everything ended within `gateway.drainSeconds`; if not, the exit code is 1.',
  ),
  services: field(z.array(serviceSchema), 'In the order of their start.'),
});

/** `svc serve --print-systemd --json`. */
export const systemdOutputSchema = documentSchema({
  unit: field(z.string(), 'The text of the unit file.'),
});

/** `svc logs --json` without `--follow`. */
export const logsOutputSchema = documentSchema({
  file: field(z.string(), 'Absolute path of the log.'),
  lines: field(
    listOf({
      level: field(
        z.nullable(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])),
        '`null` for a line that svc did not write.',
      ),
      time: field(z.nullable(z.string()), 'ISO 8601; `null` likewise.'),
      message: field(z.string(), 'What happened; the whole line if svc did not write it.'),
      fields: field(z.record(z.string(), z.unknown()), 'All other fields of the line.'),
    }),
    'One entry per line.',
  ),
});

/** A service as it is printed. */
export type ServiceOutput = DeepReadonly<z.infer<typeof serviceSchema>>;
/** The documents without their warnings, which the command base adds. */
export type ServeOutput = DocumentOf<typeof serveOutputSchema>;
export type SystemdOutput = DocumentOf<typeof systemdOutputSchema>;
export type LogsOutput = DocumentOf<typeof logsOutputSchema>;
