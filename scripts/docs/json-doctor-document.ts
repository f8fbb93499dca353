import { doctorOutputSchema } from '../../src/engine/doctor/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

const CONFIG = '/home/ada/.svc/svc.json';

/** The document of the doctor. */
export const DOCTOR_DOCUMENT: JsonDocument = {
  title: 'svc config doctor',
  introduction: 'What was looked at and found. Exits with 1 while `ok` is false.',
  schema: doctorOutputSchema,
  meanings: {
    ok: 'False while faults remain; warnings and notes do not count.',
    counts: 'Sums.',
    'counts.ok': 'Checks that found neither a fault nor a warning.',
    'counts.warnings': 'Findings that are warnings.',
    'counts.faults': 'Findings that are faults.',
    checks: 'All checks, in the order in which they are shown.',
    'checks[].check': 'Its name; see [doctor.md](doctor.md#checks).',
    'checks[].state':
      'The worst of its findings. `off`: there was nothing to look at, or it could not be tried.',
    'checks[].summary': 'What was looked at, for people.',
    'checks[].findings': 'Empty when all is well.',
    'checks[].findings[].code': 'What was found, for programs.',
    'checks[].findings[].severity':
      '`fault`: something does not work. `warning`: it may not. `note`: worth knowing.',
    'checks[].findings[].message': 'What is so.',
    'checks[].findings[].cause': 'Why, or why it matters.',
    'checks[].findings[].place': 'Where it is written, or the file it is about.',
    'checks[].findings[].place.file': 'Absolute path.',
    'checks[].findings[].place.line': 'Counted from 1; left out for a file as a whole.',
    'checks[].findings[].place.column': 'Counted from 1, in UTF-16 code units.',
    'checks[].findings[].hint': 'What to type or do.',
    'checks[].findings[].mend': 'What svc can do about it; left out where a person has to decide.',
    'checks[].findings[].mend.title': 'What it does.',
    'checks[].findings[].mend.safe': 'Whether `--fix` does it.',
    'checks[].findings[].mend.diff': 'What it changes, secrets masked.',
    'checks[].findings[].mend.diff[].kind': '`context` stays as it is.',
    'checks[].findings[].mend.diff[].text': 'One line.',
    applied: 'What `--fix` did; empty without it. The checks above are from afterwards.',
    'applied[].check': 'The check whose finding it mended.',
    'applied[].title': 'What was done.',
    'applied[].failure': 'Why it could not be done; left out when it was.',
    ...WARNINGS,
  },
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
            message: 'there is no key "enabeld" in plugins.entries.webhooks',
            place: { file: CONFIG, line: 4, column: 5 },
            hint: 'did you mean "enabled"?',
            mend: {
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
      { check: 'disk', state: 'ok', summary: '81734 MB free', findings: [] },
    ],
    applied: [],
    warnings: [],
  },
};
