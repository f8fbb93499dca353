import {
  logsOutputSchema,
  serveOutputSchema,
  systemdOutputSchema,
} from '../../src/engine/serve/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

const serve: JsonDocument = {
  title: 'svc serve',
  introduction: 'How it ended. Printed then; what goes on meanwhile is in the log.',
  schema: serveOutputSchema,
  meanings: {
    reason: 'The signal, `quit` for the key of the screen, `crash` for a bug.',
    startedAt: 'When it began.',
    endedAt: 'When it was done.',
    drained: 'Whether everything ended within `gateway.drainSeconds`; exits with 1 when not.',
    services: 'In the order they were started.',
    'services[].name': '`health`, `webhooks`, `memory:` and the id of an agent.',
    'services[].state': 'See [serve.md](serve.md#services).',
    'services[].since': 'When it came into this state.',
    'services[].event': 'What it told last, for people; `null` for nothing yet.',
    'services[].eventAt': 'When.',
    'services[].restarts': 'How often it was started again after a failure.',
    'services[].failure': 'What is wrong; `null` when nothing is.',
    'services[].failure.code':
      "Of [errors.md](errors.md#error-codes), or the system's; `null` for anything else.",
    'services[].failure.message': 'For people.',
    'services[].failure.mend': 'What to do about it; `null` where nobody knows.',
    'services[].retryAt': 'When it is tried again; `null` unless `waiting`.',
    ...WARNINGS,
  },
  example: {
    reason: 'SIGTERM',
    startedAt: '2026-03-02T08:00:00.000Z',
    endedAt: '2026-03-02T17:30:00.120Z',
    drained: true,
    services: [
      {
        name: 'memory:main',
        state: 'stopped',
        since: '2026-03-02T17:30:00.118Z',
        event: '2 added, 1 changed',
        eventAt: '2026-03-02T16:12:40.007Z',
        restarts: 0,
        failure: null,
        retryAt: null,
      },
    ],
    warnings: [],
  },
};

const systemd: JsonDocument = {
  title: 'svc serve --print-systemd',
  introduction: 'A unit for this installation. Nothing is run.',
  schema: systemdOutputSchema,
  meanings: { unit: 'The text of the unit file.', ...WARNINGS },
  example: { unit: '[Unit]\nDescription=svc: keeps the memory of agents fresh\n…', warnings: [] },
};

const logs: JsonDocument = {
  title: 'svc logs',
  introduction:
    'The newest lines of the log, oldest first. With `--follow` there is no document: each line is printed as the JSON object that stands in the log, see [serve.md](serve.md#the-log).',
  schema: logsOutputSchema,
  meanings: {
    file: 'Absolute path of the log.',
    lines: 'One entry a line.',
    'lines[].level': '`null` for a line that svc did not write.',
    'lines[].time': 'When, ISO 8601; `null` likewise.',
    'lines[].message': 'What happened; the whole line where svc did not write it.',
    'lines[].fields': 'Everything else that the line says, by name.',
    ...WARNINGS,
  },
  example: {
    file: '/home/ada/.svc/logs/serve.log',
    lines: [
      {
        level: 'info',
        time: '2026-03-02T16:12:40.007Z',
        message: '2 added, 1 changed',
        fields: { service: 'memory:main', cause: 'changed', added: 2, changed: 1, removed: 0 },
      },
    ],
    warnings: [],
  },
};

/** The documents of the long-lived process. */
export const SERVE_DOCUMENTS: readonly JsonDocument[] = [serve, systemd, logs];
