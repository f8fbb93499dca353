import * as z from 'zod/mini';
import {
  type DocumentOf,
  diffSchema,
  documentSchema,
  field,
  line,
  listField,
  objectField,
  optionalObjectField,
} from '../errors/output-schema.js';

const finding = z.strictObject({
  code: field.text('What was found, for programs.'),
  severity: field(
    z.enum(['fault', 'note', 'warning']),
    '`fault`: something does not work. `warning`: something might fail. `note`: worth knowing.',
  ),
  message: field.text('What is wrong, or worth knowing.'),
  cause: field.optionalText('Why, or why it matters.'),
  place: optionalObjectField('Where it is written, or the file it is about.', {
    file: field.text('Absolute path.'),
    line: field(z.optional(line), 'Counted from 1; absent for a file as a whole.'),
    column: field(z.optional(line), 'Counted from 1, in UTF-16 code units.'),
  }),
  hint: field.optionalText('What to type or do.'),
  fix: optionalObjectField('A fix that svc can apply; absent where a person has to decide.', {
    title: field.text('What it does.'),
    safe: field.flag('Whether `--fix` applies it.'),
    diff: field(diffSchema, 'What it changes, secrets masked.'),
  }),
});

/** `svc config doctor --json`. */
export const doctorOutputSchema = documentSchema({
  ok: field.flag('False while faults remain; warnings and notes do not count.'),
  counts: objectField('Sums.', {
    ok: field.count('Checks that found neither a fault nor a warning.'),
    warnings: field.count('Findings that are warnings.'),
    faults: field.count('Findings that are faults.'),
  }),
  checks: listField('All checks, in the order in which they are shown.', {
    check: field.text('Its name; see [doctor.md](doctor.md#checks).'),
    state: field(
      z.enum(['fault', 'off', 'ok', 'warning']),
      'The worst of its findings. `off`: there was nothing to check, or it was skipped.',
    ),
    summary: field.text('What was checked, for people.'),
    findings: field(z.array(finding), 'Empty when nothing was found.'),
  }),
  applied: listField('What `--fix` did; empty without it. The checks above ran afterwards.', {
    check: field.text('The check whose finding it fixed.'),
    title: field.text('What was done.'),
    failure: field.optionalText('Why it failed; absent when it was applied.'),
  }),
});

export type DoctorOutput = DocumentOf<typeof doctorOutputSchema>;
