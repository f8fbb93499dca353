import {
  scheduleListOutputSchema,
  scheduleNextOutputSchema,
  scheduleRunOutputSchema,
} from '../../src/engine/schedules/output-schemas.js';
import type { JsonDocument } from './json-document.js';
import { flowExample } from './json-flow-documents.js';

const list: JsonDocument = {
  title: 'svc schedule list',
  introduction: 'All schedules of the configuration.',
  schema: scheduleListOutputSchema,
  example: {
    schedules: [
      {
        id: 'nightly',
        state: 'waiting',
        cron: '0 3 * * *',
        timezone: 'Europe/Paris',
        nextRunAt: '2026-03-03T02:00:00.000Z',
        lastRunAt: '2026-03-02T02:00:00.012Z',
        lastFlow: { flowId: flowExample.flowId, status: 'running' },
      },
    ],
    warnings: [],
  },
};

const next: JsonDocument = {
  title: 'svc schedule next',
  introduction: 'When a schedule is due.',
  schema: scheduleNextOutputSchema,
  example: {
    id: 'nightly',
    enabled: true,
    cron: '0 3 * * *',
    timezone: 'Europe/Paris',
    runs: ['2026-03-03T02:00:00.000Z', '2026-03-04T02:00:00.000Z'],
    warnings: [],
  },
};

const run: JsonDocument = {
  title: 'svc schedule run',
  introduction: 'The flow that was created.',
  schema: scheduleRunOutputSchema,
  example: { id: 'nightly', flow: flowExample, warnings: [] },
};

/** The documents of `svc schedule`. */
export const SCHEDULE_DOCUMENTS: readonly JsonDocument[] = [list, next, run];
