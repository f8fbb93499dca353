import * as z from 'zod/mini';
import {
  count,
  type DocumentOf,
  diffSchema,
  documentSchema,
  field,
  line,
  listOf,
  optionalObject,
} from '../errors/output-schema.js';

/* For tests and docs/json.md; no command loads it. */

const finding = z.strictObject({
  code: field(z.string(), 'What was found, for programs.'),
  severity: field(
    z.enum(['fault', 'note', 'warning']),
    '`fault`: something does not work. `warning`: something might fail. `note`: worth knowing.',
  ),
  message: field(z.string(), 'What is wrong, or worth knowing.'),
  cause: field(z.optional(z.string()), 'Why, or why it matters.'),
  place: field(
    optionalObject({
      file: field(z.string(), 'Absolute path.'),
      line: field(z.optional(line), 'Counted from 1; absent for a file as a whole.'),
      column: field(z.optional(line), 'Counted from 1, in UTF-16 code units.'),
    }),
    'Where it is written, or the file it is about.',
  ),
  hint: field(z.optional(z.string()), 'What to type or do.'),
  fix: field(
    optionalObject({
      title: field(z.string(), 'What it does.'),
      safe: field(z.boolean(), 'Whether `--fix` applies it.'),
      diff: field(diffSchema, 'What it changes, secrets masked.'),
    }),
    'A fix that svc can apply; absent where a person has to decide.',
  ),
});

/** `svc config doctor --json`. */
export const doctorOutputSchema = documentSchema({
  ok: field(z.boolean(), 'False while faults remain; warnings and notes do not count.'),
  counts: field(
    z.strictObject({
      ok: field(count, 'Checks that found neither a fault nor a warning.'),
      warnings: field(count, 'Findings that are warnings.'),
      faults: field(count, 'Findings that are faults.'),
    }),
    'Sums.',
  ),
  checks: field(
    listOf({
      check: field(z.string(), 'Its name; see [doctor.md](doctor.md#checks).'),
      state: field(
        z.enum(['fault', 'off', 'ok', 'warning']),
        'The worst of its findings. `off`: there was nothing to check, or it was skipped.',
      ),
      summary: field(z.string(), 'What was checked, for people.'),
      findings: field(z.array(finding), 'Empty when nothing was found.'),
    }),
    'All checks, in the order in which they are shown.',
  ),
  applied: field(
    listOf({
      check: field(z.string(), 'The check whose finding it fixed.'),
      title: field(z.string(), 'What was done.'),
      failure: field(z.optional(z.string()), 'Why it failed; absent when it was applied.'),
    }),
    'What `--fix` did; empty without it. The checks above ran afterwards.',
  ),
});

export type DoctorOutput = DocumentOf<typeof doctorOutputSchema>;
