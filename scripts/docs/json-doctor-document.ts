import { doctorOutputSchema } from '../../src/engine/doctor/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const CONFIG = '/home/ada/.svc/svc.json';

/** The document of the doctor. */
export const DOCTOR_DOCUMENT: JsonDocument = {
  title: 'svc config doctor',
  introduction: 'The checks and their findings. Exits with 1 if `ok` is false.',
  schema: doctorOutputSchema,
  example: {
    ok: false,
    counts: { ok: 1, warnings: 0, faults: 1 },
    checks: [
      {
        check: 'configuration',
        state: 'fault',
        summary: CONFIG,
        findings: [
          {
            code: 'unknown-key',
            severity: 'fault',
            message: 'unknown key "enabeld" in plugins.entries.webhooks',
            place: { file: CONFIG, line: 4, column: 5 },
            hint: 'did you mean "enabled"?',
            fix: {
              title: 'rename "enabeld" to "enabled"',
              safe: true,
              diff: [
                { kind: 'removed', text: '    "enabeld": true' },
                { kind: 'added', text: '    "enabled": true' },
              ],
            },
          },
        ],
      },
      { check: 'disk', state: 'ok', summary: '81.7 GB free', findings: [] },
    ],
    applied: [],
    warnings: [],
  },
};
