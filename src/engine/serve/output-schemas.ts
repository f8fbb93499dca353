import * as z from 'zod/mini';
import { type DocumentOf, documentSchema, field, listField } from '../errors/output-schema.js';
import { serviceSchema } from './state-file.js';

/** `svc serve --json`, printed when it ends. */
export const serveOutputSchema = documentSchema({
  reason: field(
    z.enum(['SIGINT', 'SIGTERM', 'crash', 'quit']),
    'A signal, `quit` for the key on the screen, or `crash` for a bug.',
  ),
  startedAt: field.time('When it started.'),
  endedAt: field.time('When it ended.'),
  drained: field.flag(
    'Whether everything ended within `gateway.drainSeconds`; if not, the exit code is 1.',
  ),
  services: field(z.array(serviceSchema), 'In the order of their start.'),
});

/** `svc serve --print-systemd --json`. */
export const systemdOutputSchema = documentSchema({
  unit: field.text('The text of the unit file.'),
});

/** `svc logs --json` without `--follow`. */
export const logsOutputSchema = documentSchema({
  file: field.text('Absolute path of the log.'),
  lines: listField('One entry per line.', {
    level: field(
      z.nullable(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])),
      '`null` for a line that svc did not write.',
    ),
    time: field.textOrNull('ISO 8601; `null` likewise.'),
    message: field.text('What happened; the whole line if svc did not write it.'),
    fields: field(z.record(z.string(), z.unknown()), 'All other fields of the line.'),
  }),
});

/** The documents without their warnings, which the command base adds. */
export type ServeOutput = DocumentOf<typeof serveOutputSchema>;
export type SystemdOutput = DocumentOf<typeof systemdOutputSchema>;
export type LogsOutput = DocumentOf<typeof logsOutputSchema>;
