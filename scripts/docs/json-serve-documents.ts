import {
  logsOutputSchema,
  serveOutputSchema,
  systemdOutputSchema,
} from '../../src/engine/serve/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const serve: JsonDocument = {
  title: 'svc serve',
  introduction: 'Printed when it ends, with the reason. For what happens in between, see the log.',
  schema: serveOutputSchema,
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
        url: null,
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
  introduction: 'A unit for this installation. svc does not start it.',
  schema: systemdOutputSchema,
  example: { unit: '[Unit]\nDescription=svc: keeps the memory of agents fresh\n…', warnings: [] },
};

const logs: JsonDocument = {
  title: 'svc logs',
  introduction:
    'The newest lines of the log, oldest first. With `--follow` there is no document: each line is printed as the JSON object in the log; see [serve.md](serve.md#logs).',
  schema: logsOutputSchema,
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
