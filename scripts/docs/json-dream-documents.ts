import {
  dreamCandidatesOutputSchema,
  dreamExplainOutputSchema,
  dreamListOutputSchema,
  dreamPromoteOutputSchema,
  dreamRejectOutputSchema,
  dreamRunOutputSchema,
  dreamScheduleOutputSchema,
  dreamShowOutputSchema,
  dreamSignalsOutputSchema,
  dreamStatusOutputSchema,
  dreamSwitchOutputSchema,
  dreamUndoOutputSchema,
} from '../../src/engine/dreaming/output-schemas.js';
import { BACKFILL_DOCUMENT } from './json-backfill-document.js';
import { below, type JsonDocument, WARNINGS } from './json-document.js';
import {
  CLAIM,
  CLAIM_EXAMPLE,
  DECISION,
  PLACE,
  PLACE_EXAMPLE,
  SIGNALS,
  SIGNALS_EXAMPLE,
  SWEEP,
  SWEEP_EXAMPLE,
} from './json-dream-parts.js';

const run: JsonDocument = {
  title: 'svc dream run',
  introduction:
    'What the sweeps came to, a workspace each; also of `svc dream`, `svc memory dream` and `svc memory rem-harness`. Exits with 1 while `ok` is false.',
  schema: dreamRunOutputSchema,
  meanings: {
    ok: 'False when a workspace got no sweep, or a phase failed.',
    dryRun: 'Whether nothing was written.',
    sweeps: 'In the order of the agents.',
    ...below('sweeps[].', PLACE),
    'sweeps[].ok': 'False when a phase failed, or there was no sweep at all.',
    'sweeps[].error': 'Only of a workspace that got no sweep; the fields below are left out then.',
    'sweeps[].error.code': 'See [errors.md](errors.md#error-codes).',
    'sweeps[].error.message': 'For people.',
    'sweeps[].error.hint': 'What to do about it.',
    'sweeps[].sweep': 'As it is remembered; a dry run is not.',
    ...below('sweeps[].sweep.', SWEEP),
    'sweeps[].searches': 'Searches of the recall log that were new.',
    'sweeps[].decisions': 'The claims that passed every gate, the best first.',
    ...below('sweeps[].decisions[].', DECISION),
    'sweeps[].skipped': 'Notes that could not be read.',
    'sweeps[].skipped[].path': 'Relative to the workspace.',
    'sweeps[].skipped[].reason': 'See [memory-files.md](memory-files.md#what-is-skipped).',
    'sweeps[].skipped[].detail': 'The figure or the words of the system behind the reason.',
    'sweeps[].reportFaults': 'Why the diary or a report could not be written.',
    'sweeps[].modelFaults': 'Why plain words stand where a model was asked for better ones.',
    'sweeps[].remReport':
      'Only of `svc memory rem-harness`: the report of the REM phase as Markdown.',
    ...WARNINGS,
  },
  example: {
    ok: true,
    dryRun: false,
    sweeps: [
      {
        ...PLACE_EXAMPLE,
        ok: true,
        sweep: SWEEP_EXAMPLE,
        searches: 14,
        decisions: [{ ...CLAIM_EXAMPLE, score: 0.8594, decision: 'promote' }],
        skipped: [],
        reportFaults: [],
        modelFaults: [],
      },
    ],
    warnings: [],
  },
};

const status: JsonDocument = {
  title: 'svc dream status',
  introduction: 'How consolidation stands.',
  schema: dreamStatusOutputSchema,
  meanings: {
    enabled: 'Whether `svc serve` keeps the schedule.',
    frequency: 'The schedule, five fields of crontab(5).',
    workspaces: 'The distinct workspaces, in the order of the agents.',
    ...below('workspaces[].', PLACE),
    'workspaces[].timeZone': "Of the schedule and of days; `null` for the host's.",
    'workspaces[].nextRunAt': 'When the next sweep is due; `null` when none is.',
    'workspaces[].busy': 'Whether a sweep, or a decision by hand, is under way.',
    'workspaces[].lastSweep': '`null` when there was none yet.',
    ...below('workspaces[].lastSweep.', SWEEP),
    'workspaces[].claims': 'How many claims are known, by what became of them.',
    'workspaces[].claims.open': 'Not decided on.',
    'workspaces[].claims.ready': 'Of the open ones, those that pass every gate now.',
    'workspaces[].claims.promoted': 'In `MEMORY.md`, or found to be said there already.',
    'workspaces[].claims.rejected': 'By hand, or because their promotion was taken back.',
    'workspaces[].recallLog': 'The file in which searches write down what they found.',
    'workspaces[].recallLog.bytes': 'Its size.',
    'workspaces[].recallLog.mostBytes': 'Where it stops growing.',
    'workspaces[].memory': '`null` when `MEMORY.md` cannot be read.',
    'workspaces[].memory.promoted': 'Entries of dreaming in it.',
    'workspaces[].memory.mostPromoted': 'Where each new one takes the place of the lowest-scored.',
    'workspaces[].memory.bytes': 'Its size.',
    'workspaces[].fault': 'Why it cannot be read; `null` when it can.',
    ...WARNINGS,
  },
  example: {
    enabled: true,
    frequency: '0 3 * * *',
    workspaces: [
      {
        ...PLACE_EXAMPLE,
        timeZone: 'Europe/Berlin',
        nextRunAt: '2026-11-21T02:00:00.000Z',
        busy: false,
        lastSweep: SWEEP_EXAMPLE,
        claims: { open: 212, ready: 2, promoted: 31, rejected: 4 },
        recallLog: { bytes: 20_480, mostBytes: 33_554_432 },
        memory: { promoted: 29, mostPromoted: 200, bytes: 9120 },
        fault: null,
      },
    ],
    warnings: [],
  },
};

const list: JsonDocument = {
  title: 'svc dream list',
  introduction: 'Past sweeps, the newest first.',
  schema: dreamListOutputSchema,
  meanings: {
    ...PLACE,
    sweeps: 'At most `--limit`.',
    ...below('sweeps[].', SWEEP),
    ...WARNINGS,
  },
  example: { ...PLACE_EXAMPLE, sweeps: [SWEEP_EXAMPLE], warnings: [] },
};

const show: JsonDocument = {
  title: 'svc dream show',
  introduction: 'One sweep, with every change it made to `MEMORY.md`.',
  schema: dreamShowOutputSchema,
  meanings: {
    ...PLACE,
    sweep: 'As it is remembered.',
    ...below('sweep.', SWEEP),
    entries: 'What it changed; empty when it wrote nothing.',
    'entries[].change':
      '`add`: a new entry. `replace`: it took the place of an older one. `retire`: an old one made room.',
    'entries[].key': 'The claim, 16 hexadecimal digits.',
    'entries[].text': 'What it wrote, or of `retire` what it took out.',
    'entries[].path': 'The note it came from, relative to the workspace.',
    'entries[].startLine': 'First line in the note at that time.',
    'entries[].endLine': 'Last line, itself included.',
    'entries[].score': 'At that time.',
    'entries[].before': 'Only of `replace`: the older text.',
    said: 'Claims that `MEMORY.md` said already: decided on, nothing to write.',
    backupFile:
      '`MEMORY.md` as it was before; `null` when nothing was written, or there was no file.',
    ...WARNINGS,
  },
  example: {
    ...PLACE_EXAMPLE,
    sweep: SWEEP_EXAMPLE,
    entries: [
      {
        change: 'add',
        key: CLAIM_EXAMPLE.key,
        text: CLAIM_EXAMPLE.text,
        path: CLAIM_EXAMPLE.path,
        startLine: 5,
        endLine: 5,
        score: 0.86,
      },
    ],
    said: [],
    backupFile: '/home/ada/.svc/dreaming/backups/5d41402abc4b2a76/20261120T030000.md',
    warnings: [],
  },
};

const SIX = {
  'candidates[].signals': 'The six signals, each 0 to 1; see [dreaming.md](dreaming.md#scoring).',
  'candidates[].signals.frequency': 'How often.',
  'candidates[].signals.relevance': 'How well it answered.',
  'candidates[].signals.diversity': 'For how many questions, or on how many days.',
  'candidates[].signals.recency': 'How lately.',
  'candidates[].signals.consolidation': 'How far spread over days.',
  'candidates[].signals.conceptual': 'Of how many concepts it speaks.',
};

const candidates: JsonDocument = {
  title: 'svc dream candidates',
  introduction:
    'The open claims that are young enough: those that pass every gate first, then by score. The screen prints no document.',
  schema: dreamCandidatesOutputSchema,
  meanings: {
    ...PLACE,
    total: 'How many there are.',
    ready: 'How many of them pass every gate.',
    candidates: 'At most `--limit`.',
    ...below('candidates[].', { ...CLAIM, ...SIGNALS }),
    'candidates[].score': 'The weighted signals and the boosts; may go over 1.',
    'candidates[].passes': 'Whether it passes every gate.',
    ...SIX,
    'candidates[].lightBoost': 'Added for sweeps whose light phase met it.',
    'candidates[].remBoost': 'Added for sweeps whose REM phase met it.',
    'candidates[].failed': 'The gates it does not pass; see [dreaming.md](dreaming.md#gates).',
    ...WARNINGS,
  },
  example: {
    ...PLACE_EXAMPLE,
    total: 12,
    ready: 1,
    candidates: [
      {
        ...CLAIM_EXAMPLE,
        ...SIGNALS_EXAMPLE,
        score: 0.8594,
        passes: true,
        signals: {
          frequency: 0.7473,
          relevance: 0.9,
          diversity: 1,
          recency: 0.9564,
          consolidation: 0.6664,
          conceptual: 0.8333,
        },
        lightBoost: 0,
        remBoost: 0,
        failed: [],
      },
    ],
    warnings: [],
  },
};

const explain: JsonDocument = {
  title: 'svc dream explain',
  introduction: 'Why a claim is, or is not, promoted; also of `svc memory promote-explain`.',
  schema: dreamExplainOutputSchema,
  meanings: {
    ...PLACE,
    ...CLAIM,
    ...SIGNALS,
    fate: 'What became of it.',
    decidedAt: 'When; `null` while it is open.',
    sweep: 'The sweep that promoted it; `null` otherwise.',
    tags: 'The concepts it speaks of, at most 8.',
    score: 'The sum of `adds`.',
    parts: 'The six signals and the boosts of the two earlier phases.',
    'parts[].part': 'See [dreaming.md](dreaming.md#scoring).',
    'parts[].value': '0 to 1.',
    'parts[].weight': 'The most that it can add.',
    'parts[].adds': 'Value times weight.',
    'parts[].why': 'The figures behind it, for people.',
    gates: 'Every gate, in the order in which they are asked.',
    'gates[].gate': 'See [dreaming.md](dreaming.md#gates).',
    'gates[].passed': 'Whether it passed.',
    'gates[].why': 'The figures behind it, for people.',
    passes: 'Whether it passes all of them.',
    note: 'What its note says now: the claim, something alike, or neither.',
    longTermMemory:
      'How it stands to `MEMORY.md`. `present`: it is an entry. `said`: all of it is said. `renews`: it says anew what an entry says.',
    ...WARNINGS,
  },
  example: {
    ...PLACE_EXAMPLE,
    ...CLAIM_EXAMPLE,
    ...SIGNALS_EXAMPLE,
    fate: 'open',
    decidedAt: null,
    sweep: null,
    tags: ['backup', 'storage', 'server'],
    score: 0.8594,
    parts: [
      {
        part: 'frequency',
        value: 0.7473,
        weight: 0.24,
        adds: 0.1793,
        why: '5 recalls + 0 notes',
      },
    ],
    gates: [{ gate: 'score', passed: true, why: '0.859 of 0.75' }],
    passes: true,
    note: 'found',
    longTermMemory: 'new',
    warnings: [],
  },
};

const signals: JsonDocument = {
  title: 'svc dream signals',
  introduction: 'What searches recalled, the latest first.',
  schema: dreamSignalsOutputSchema,
  meanings: {
    ...PLACE,
    total: 'How many there are.',
    claims: 'At most `--limit`.',
    ...below('claims[].', { ...CLAIM, ...SIGNALS }),
    'claims[].fate': 'What became of it.',
    'claims[].averageScore': 'Mean of the scores of all its signals.',
    'claims[].maxScore': 'The best of them.',
    ...WARNINGS,
  },
  example: {
    ...PLACE_EXAMPLE,
    total: 1,
    claims: [
      { ...CLAIM_EXAMPLE, ...SIGNALS_EXAMPLE, fate: 'open', averageScore: 0.9, maxScore: 0.94 },
    ],
    warnings: [],
  },
};

const promote: JsonDocument = {
  title: 'svc dream promote',
  introduction:
    'What promoting a claim by hand came to; also of `svc memory promote`. Exits with 1 when `decision` is `skip`.',
  schema: dreamPromoteOutputSchema,
  meanings: {
    ...PLACE,
    ...DECISION,
    sweep: 'What `svc dream undo` takes back; `null` when nothing was decided.',
    ...WARNINGS,
  },
  example: {
    ...PLACE_EXAMPLE,
    ...CLAIM_EXAMPLE,
    score: 0.6127,
    decision: 'promote',
    sweep: '20261120T141502',
    warnings: [],
  },
};

const reject: JsonDocument = {
  title: 'svc dream reject',
  introduction: 'The claim that no sweep promotes from now on.',
  schema: dreamRejectOutputSchema,
  meanings: { ...PLACE, ...CLAIM, ...WARNINGS },
  example: { ...PLACE_EXAMPLE, ...CLAIM_EXAMPLE, warnings: [] },
};

const undo: JsonDocument = {
  title: 'svc dream undo',
  introduction: 'What was taken back.',
  schema: dreamUndoOutputSchema,
  meanings: {
    ...PLACE,
    sweep: 'Its id.',
    undone: 'Changes of `MEMORY.md` that were taken back.',
    kept: 'What could not be.',
    'kept[].key': 'The claim.',
    'kept[].why': '`edited`: somebody changed the entry, so it stays. `gone`: it is not there.',
    ...WARNINGS,
  },
  example: {
    ...PLACE_EXAMPLE,
    sweep: '20261120T030000',
    undone: 2,
    kept: [{ key: CLAIM_EXAMPLE.key, why: 'edited' }],
    warnings: [],
  },
};

const schedule: JsonDocument = {
  title: 'svc dream schedule',
  introduction: 'When sweeps are due.',
  schema: dreamScheduleOutputSchema,
  meanings: {
    enabled: 'Whether `svc serve` keeps the schedule.',
    frequency: 'Five fields of crontab(5).',
    timeZone: "An IANA name; `null` for the host's.",
    runs: 'The next ones; at most `--count`.',
    crontab: 'Only with `--print-crontab`: the line, or two.',
    service: 'Only with `--print-systemd`: the text of `svc-dream.service`.',
    timer: 'Only with `--print-systemd`: the text of `svc-dream.timer`.',
    ...WARNINGS,
  },
  example: {
    enabled: true,
    frequency: '0 3 * * *',
    timeZone: 'Europe/Berlin',
    runs: ['2026-11-21T02:00:00.000Z', '2026-11-22T02:00:00.000Z'],
    warnings: [],
  },
};

const onOff: JsonDocument = {
  title: 'svc dream enable, svc dream disable',
  introduction: 'What was written into the configuration.',
  schema: dreamSwitchOutputSchema,
  meanings: {
    enabled: 'Whether dreaming is on now.',
    file: 'Absolute path of the configuration.',
    path: 'The key that says so.',
    changed: 'False when it said so already.',
    nextRunAt: 'When the next sweep is due; `null` when dreaming is off.',
    ...WARNINGS,
  },
  example: {
    enabled: true,
    file: '/home/ada/.svc/svc.json',
    path: 'plugins.entries.memory-core.config.dreaming.enabled',
    changed: true,
    nextRunAt: '2026-11-21T02:00:00.000Z',
    warnings: [],
  },
};

/** The documents of dreaming. */
export const DREAM_DOCUMENTS: readonly JsonDocument[] = [
  run,
  status,
  list,
  show,
  candidates,
  explain,
  signals,
  promote,
  reject,
  undo,
  BACKFILL_DOCUMENT,
  schedule,
  onOff,
];
