import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  line,
  listField,
  objectField,
  optionalObjectField,
} from '../errors/output-schema.js';
import { skipped } from '../memory/output-schemas.js';
import { claim, decision, keyAndText, place, score } from './output-schemas.js';
import { VERDICTS } from './promotion/compare.js';
import { GATES } from './scoring/gates.js';
import { CLAIM_FATES } from './scoring/recall-entry.js';
import { SIGNAL_NAMES } from './scoring/score.js';

/* Schemas of the JSON documents about claims: what may be promoted, and why. */

const part = z.number().check(z.minimum(0), z.maximum(1));
const fate = z.enum(CLAIM_FATES);

const signals = {
  recalls: field.count('Searches it answered.'),
  notes: field.count('Daily notes the light phase found it in.'),
  grounded: field.count('Signals added by backfills.'),
  questions: field.count(
    'Different questions, or days if there are more; notes and conversations count once a day.',
  ),
  days: field.count('Different days, at most the newest 16.'),
  firstSignalAt: field.time('Time of the first signal.'),
  lastSignalAt: field.time('Time of the last signal.'),
};

const gate = z.strictObject({
  gate: field(z.enum(GATES), 'See [dreaming.md](dreaming.md#gates).'),
  passed: field.flag('Whether the claim passes.'),
  why: field.text('A short explanation for people.'),
});

/** `svc dream candidates --json`. */
export const dreamCandidatesOutputSchema = documentSchema({
  ...place,
  total: field.count('Total number of claims.'),
  ready: field.count('Number of claims that the next sweep would promote.'),
  candidates: listField('At most `--limit`.', {
    ...claim,
    ...signals,
    score: field(score, 'Sum of the weighted signals and the boosts; may exceed 1.'),
    passes: field.flag('Whether it passes every gate.'),
    promotes: field.flag('Whether the next sweep would promote it.'),
    signals: objectField('The six signals, each 0 to 1; see [dreaming.md](dreaming.md#scoring).', {
      frequency: field(part, 'How often it was recalled or noted.'),
      relevance: field(part, 'How well it answered.'),
      diversity: field(part, 'For how many questions, or on how many days.'),
      recency: field(part, 'How recently.'),
      consolidation: field(part, 'How far its signals are spread over days.'),
      conceptual: field(part, 'How many concepts it mentions.'),
    }),
    lightBoost: field(part, 'Added if recent light phases staged it.'),
    remBoost: field(part, 'Added if recent REM phases selected it.'),
    failed: field(
      z.array(gate.shape.gate),
      'The gates it fails; see [dreaming.md](dreaming.md#gates).',
    ),
  }),
});

/** `svc dream explain --json`. */
export const dreamExplainOutputSchema = documentSchema({
  ...place,
  ...claim,
  ...signals,
  fate: field(fate, 'Status of the claim.'),
  decidedAt: field.timeOrNull('When it was decided; `null` while open.'),
  sweep: field.textOrNull('The sweep that promoted it; otherwise `null`.'),
  tags: field.texts('Concepts it mentions, at most 8.'),
  score: field(score, 'Sum of `adds`.'),
  parts: listField('The six signals and the boosts from earlier light and REM phases.', {
    part: field(
      z.enum([...SIGNAL_NAMES, 'light', 'rem']),
      'See [dreaming.md](dreaming.md#scoring).',
    ),
    value: field(part, '0 to 1.'),
    weight: field(part, 'The most it can add.'),
    adds: field(part, 'Value times weight.'),
    why: field.text('A short explanation for people.'),
  }),
  gates: field(z.array(gate), 'Every gate, in order.'),
  passes: field.flag('Whether it passes every gate.'),
  note: field(
    z.enum(['found', 'changed', 'missing', 'superseded']),
    '`found`: its note still contains it. `changed`: its note has a similar statement. `missing`: neither. `superseded`: a later note contradicts it.',
  ),
  longTermMemory: field(
    z.enum(VERDICTS),
    'How it relates to `MEMORY.md`. `new`: not in it. `present`: it has an entry. `said`: other text covers all of it. `renews`: it updates an entry.',
  ),
  trail: listField(
    'What sweeps did to its entry in `MEMORY.md`, oldest first, without those that were undone.',
    {
      sweep: field.text('ID of the sweep that changed `MEMORY.md`; for `svc dream undo`.'),
      day: field(z.iso.date(), 'Its day.'),
      change: field(
        z.enum(['added', 'replaced', 'superseded', 'retired']),
        '`added`: it got an entry. `replaced`: its entry replaced another. `superseded`: another replaced its entry. `retired`: its entry was moved to the archive.',
      ),
      other: field.textOrNull(
        'Text of the entry that it replaced or that replaced it; otherwise `null`.',
      ),
    },
  ),
});

/** `svc dream signals --json`. */
export const dreamSignalsOutputSchema = documentSchema({
  ...place,
  total: field.count('Total number of claims.'),
  claims: listField('At most `--limit`.', {
    ...claim,
    ...signals,
    fate: field(fate, 'Status of the claim.'),
    averageScore: field(part, 'Mean score of its signals.'),
    maxScore: field(part, 'Highest score of its signals.'),
  }),
});

/** `svc dream promote --json`. */
export const dreamPromoteOutputSchema = documentSchema({
  ...place,
  ...decision.shape,
  sweep: field.textOrNull('ID for `svc dream undo`; `null` if nothing was decided.'),
});

/** `svc dream reject --json`. */
export const dreamRejectOutputSchema = documentSchema({ ...place, ...claim });

/** `svc dream backfill --json`: with one of the last two fields, depending on flags. */
export const dreamBackfillOutputSchema = documentSchema({
  ...place,
  id: field.textOrNull('ID for `--rollback`; `null` if nothing changed.'),
  backfilled: optionalObjectField('Only with `--path`.', {
    dryRun: field.flag('True if nothing was written.'),
    notes: field.count('Daily notes read.'),
    notesLeft: field.count('Older notes over the limit of one run.'),
    leans: objectField('Number of statements by how long they are likely to stay true.', {
      lasting: field.count('Below a heading such as "Decisions" or "Lessons": two signals.'),
      durable: field.count('Worded as a rule, a habit or a permanent fact: one signal.'),
      unclear: field.count('No signal.'),
      situational: field.count('Events of that day: no signal.'),
    }),
    claims: listField('Statements that got signals, in note order.', {
      ...keyAndText,
      path: field.text('The note, relative to the workspace.'),
      startLine: field(line, 'First line, 1-based.'),
      endLine: field(line, 'Last line, inclusive.'),
      lean: field(z.enum(['lasting', 'durable']), 'See `leans`.'),
    }),
    skipped: field(skipped, 'Notes that could not be read.'),
  }),
  rolledBack: optionalObjectField('Only with `--rollback`.', {
    claims: field.count('Number of claims affected.'),
  }),
});

export type DreamCandidatesOutput = DocumentOf<typeof dreamCandidatesOutputSchema>;
export type DreamExplainOutput = DocumentOf<typeof dreamExplainOutputSchema>;
export type DreamSignalsOutput = DocumentOf<typeof dreamSignalsOutputSchema>;
export type DreamPromoteOutput = DocumentOf<typeof dreamPromoteOutputSchema>;
export type DreamRejectOutput = DocumentOf<typeof dreamRejectOutputSchema>;
export type DreamBackfillOutput = DocumentOf<typeof dreamBackfillOutputSchema>;
