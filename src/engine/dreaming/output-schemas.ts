import * as z from 'zod/mini';
import {
  count,
  type DeepReadonly,
  type DocumentOf,
  documentSchema,
  failureSchema,
  field,
  line,
  listField,
  objectField,
  objectOrNullField,
} from '../errors/output-schema.js';
import { skipped, source } from '../memory/output-schemas.js';
import { CHANGE_STATES, SWEEP_TRIGGERS } from './store/sweep-records.js';
import { SKIP_REASONS } from './sweep/plan-promotions.js';

/* The documents about claims are in claim-output-schemas.ts. */

const share = z.number().check(z.minimum(0), z.maximum(1));
export const score = z.number().check(z.minimum(0));
const key = z.string().check(z.regex(/^[0-9a-f]{16}$/u));

/** The workspace a document is about. */
export const place = {
  workspace: field.text('Absolute path.'),
  agents: field.texts('The agents that share the workspace; it is swept once for all of them.'),
};

export const keyAndText = {
  key: field(key, 'ID of the claim: 16 hexadecimal digits, derived from its words.'),
  text: field.text('The statement, on one line.'),
};
export const claim = {
  ...keyAndText,
  source: field(source, '`memory`: a note. `sessions`: a conversation.'),
  path: field.text('The document, relative to the workspace.'),
  startLine: field(line, 'First line where it was last found, 1-based.'),
  endLine: field(line, 'Last line, inclusive.'),
};

const phase = z.strictObject({
  state: field(z.enum(['done', 'failed', 'off']), '`off`: disabled, or excluded with `--phase`.'),
  ms: field(z.optional(z.number()), 'Duration in milliseconds.'),
  counts: field(z.optional(z.record(z.string(), count)), 'What it read and did, by name.'),
  error: field.optionalText('Why it failed.'),
  code: field.optionalText('Error code, if it failed for a known reason.'),
  hint: field.optionalText('How to fix it, if known.'),
});

const sweepFields = {
  id: field.text('ID of the sweep: its start time in UTC.'),
  day: field(z.iso.date(), 'Its day in the time zone of dreaming.'),
  trigger: field(z.enum(SWEEP_TRIGGERS), 'Why it ran. `promote`: a claim was promoted by hand.'),
  startedAt: field.time('Start time.'),
  endedAt: field.timeOrNull('End time; `null` while it runs, or if it was killed.'),
  phases: objectField('The result of each phase.', {
    light: field(z.optional(phase), 'Absent until it has run.'),
    rem: field(z.optional(phase), 'Absent until it has run.'),
    deep: field(z.optional(phase), 'Absent until it has run.'),
  }),
  memory: field(
    z.enum(['untouched', ...CHANGE_STATES]),
    'State of its change to `MEMORY.md`. `planned`: it was killed before finishing; the next sweep completes it. `partly_undone`: entries that were edited stayed.',
  ),
  written: field.count('Entries added or replaced.'),
  retired: field.count(
    'Entries moved to the archive to make room, or because they are no longer true.',
  ),
};
const sweep = z.strictObject(sweepFields);

export const decision = z.strictObject({
  ...claim,
  score: field(score, 'Sum of the weighted signals and the boosts; may exceed 1.'),
  decision: field(
    z.enum(['promote', 'renew', 'said', 'skip']),
    '`promote`: written. `renew`: written, replacing an older entry. `said`: already in `MEMORY.md`. `skip`: not written; see `why`.',
  ),
  why: field(
    z.optional(z.enum(SKIP_REASONS)),
    'Only for `skip`. `changed`: its note now has a similar statement. `missing`: its note no longer contains it. `secret`: it contains a secret. `superseded`: a later note contradicts it. `full`: `MEMORY.md` has no room for it.',
  ),
  prior: field(z.optional(key), 'Only for `renew`: the claim whose entry it replaced.'),
});

const quality = z.strictObject({
  mrr: field(share, 'Mean reciprocal rank of the first file with the claim.'),
  hit5: field(share, 'Share of questions with the claim among the first 5 results.'),
});

const evaluation = z.strictObject({
  questions: field.count('Questions asked, each from the words of a recalled claim.'),
  before: field(z.nullable(quality), 'Without the changes; `null` if it took too long.'),
  after: field(z.nullable(quality), 'With the changes; `null` if it took too long.'),
});

const sweepSummary = z.strictObject({
  ...place,
  ok: field.flag('False if a phase failed or the sweep did not run.'),
  sweep: field(sweep, 'The sweep; a dry run is not recorded.'),
  searches: field.count('New searches in the recall log.'),
  decisions: field(z.array(decision), 'Claims that passed every gate, best first.'),
  skipped: field(skipped, 'Notes that could not be read.'),
  reportFaults: field.texts('Why the diary or a report could not be written.'),
  modelFaults: field.texts("Why the model's text was not used."),
  evaluation: field(
    z.optional(evaluation),
    'Only for a dry run that would change `MEMORY.md` and knows what was searched for: keyword search in a copy of the notes without and with the changes.',
  ),
  remReport: field.optionalText(
    'Only for `svc memory rem-harness`: the REM phase report in Markdown.',
  ),
});

const failedSweep = z.strictObject({
  ...place,
  ok: field(z.literal(false), 'False if a phase failed or the sweep did not run.'),
  error: field(
    failureSchema,
    'Only for a workspace whose sweep did not run; the fields below are then absent.',
  ),
});

/** `svc dream run --json`. */
export const dreamRunOutputSchema = documentSchema({
  ok: field.flag('False if a sweep did not run or a phase failed.'),
  dryRun: field.flag('True if nothing was written.'),
  sweeps: field(z.array(z.union([sweepSummary, failedSweep])), 'In agent order.'),
});

/** `svc dream status --json`. */
export const dreamStatusOutputSchema = documentSchema({
  enabled: field.flag('Whether `svc serve` runs sweeps on schedule.'),
  frequency: field.text('The schedule: five crontab(5) fields.'),
  workspaces: listField('The distinct workspaces, in agent order.', {
    ...place,
    timeZone: field.textOrNull("For the schedule and for days; `null` means the host's."),
    nextRunAt: field.timeOrNull('When the next sweep is due; `null` if none is.'),
    busy: field.flag('Whether a sweep, or a decision by hand, is running.'),
    lastSweep: field(z.nullable(sweep), '`null` if none has run yet.'),
    claims: objectField('Number of claims by status.', {
      open: field.count('Not decided yet.'),
      ready: field.count('Open claims that pass every gate.'),
      promoted: field.count('Promoted, or already in `MEMORY.md`.'),
      rejected: field.count('Rejected by hand, or promoted and undone.'),
    }),
    recallLog: objectField('The file in which searches record what they found.', {
      bytes: field.count('Size in bytes.'),
      mostBytes: field.count('Size limit in bytes.'),
    }),
    memory: objectOrNullField('`null` if `MEMORY.md` cannot be read.', {
      promoted: field.count('Entries written by dreaming.'),
      characters: field.count('Size in characters.'),
      handwritten: field.count('Of these, outside the entries.'),
      maxCharacters: field.count(
        'Budget (`maxMemoryChars`): to stay within it, the weakest entries are moved to the archive.',
      ),
      bytes: field.count('Size in bytes.'),
    }),
    fault: field.textOrNull('Why `MEMORY.md` cannot be read; `null` if it can.'),
  }),
});

/** `svc dream list --json`. */
export const dreamListOutputSchema = documentSchema({
  ...place,
  sweeps: field(z.array(sweep), 'At most `--limit`.'),
});

/** `svc dream show --json`. */
export const dreamShowOutputSchema = documentSchema({
  ...place,
  sweep: field(sweep, 'The recorded sweep.'),
  entries: listField('Changes to `MEMORY.md`.', {
    change: field(
      z.enum(['add', 'replace', 'retire']),
      '`add`: a new entry. `replace`: replaced an older entry. `retire`: an old entry was moved to the archive.',
    ),
    key: field(key, 'The claim: 16 hexadecimal digits.'),
    text: field.text('The text written, or for `retire` the text removed.'),
    path: field.text('The note it came from, relative to the workspace.'),
    startLine: field(line, 'First line in the note at that time, 1-based.'),
    endLine: field(line, 'Last line, inclusive.'),
    score: field(score, 'Score at that time.'),
    before: field.optionalText('Only for `replace`: the older text.'),
    archive: field.optionalText(
      'Only for `replace` and `retire`: the note that the older text was moved to, relative to the workspace.',
    ),
  }),
  said: field(z.array(key), 'Claims already in `MEMORY.md`: settled, nothing to write.'),
  backupFile: field.textOrNull(
    'Copy of `MEMORY.md` from before; `null` if nothing was written or there was no file.',
  ),
});

/** `svc dream undo --json`. */
export const dreamUndoOutputSchema = documentSchema({
  ...place,
  sweep: field.text('ID of the sweep.'),
  undone: field.count('Number of changes to `MEMORY.md` that were undone.'),
  kept: listField('Changes that were not undone.', {
    key: field(key, 'The claim.'),
    why: field(
      z.enum(['edited', 'gone']),
      '`edited`: the entry was changed since, so it stays. `gone`: it no longer exists.',
    ),
  }),
});

/** `svc dream schedule --json`; the last three fields depend on flags. */
export const dreamScheduleOutputSchema = documentSchema({
  enabled: field.flag('Whether `svc serve` runs sweeps on schedule.'),
  frequency: field.text('Five crontab(5) fields.'),
  timeZone: field.textOrNull("An IANA name; `null` means the host's."),
  runs: field(z.array(z.iso.datetime()), 'The next runs, at most `--count`.'),
  crontab: field.optionalText(
    'Only with `--print-crontab`: the line, below `CRON_TZ` and a comment if a time zone is set.',
  ),
  service: field.optionalText('Only with `--print-systemd`: the text of `svc-dream.service`.'),
  timer: field.optionalText('Only with `--print-systemd`: the text of `svc-dream.timer`.'),
});

/** `svc dream enable --json` and `svc dream disable --json`. */
export const dreamSwitchOutputSchema = documentSchema({
  enabled: field.flag('Whether dreaming is now on.'),
  file: field.text('Absolute path of the configuration file.'),
  path: field.text('The configuration key.'),
  changed: field.flag('False if it already had this value.'),
  nextRunAt: field.timeOrNull('When the next sweep is due; `null` if dreaming is off.'),
});

export type SweepOutput = DeepReadonly<z.infer<typeof sweep>>;
export type DecisionOutput = DeepReadonly<z.infer<typeof decision>>;
/** One workspace of `svc dream run`: the result of its sweep, or why it failed. */
export type SweepSummaryOutput = DeepReadonly<z.infer<typeof sweepSummary>>;
export type EvaluationOutput = DeepReadonly<z.infer<typeof evaluation>>;
export type FailedSweepOutput = DeepReadonly<z.infer<typeof failedSweep>>;
/** The documents without warnings, which BaseCommand adds. */
export type DreamRunOutput = DocumentOf<typeof dreamRunOutputSchema>;
export type DreamStatusOutput = DocumentOf<typeof dreamStatusOutputSchema>;
export type DreamListOutput = DocumentOf<typeof dreamListOutputSchema>;
export type DreamShowOutput = DocumentOf<typeof dreamShowOutputSchema>;
export type DreamUndoOutput = DocumentOf<typeof dreamUndoOutputSchema>;
export type DreamScheduleOutput = DocumentOf<typeof dreamScheduleOutputSchema>;
export type DreamSwitchOutput = DocumentOf<typeof dreamSwitchOutputSchema>;
