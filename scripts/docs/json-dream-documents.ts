import {
  dreamBackfillOutputSchema,
  dreamCandidatesOutputSchema,
  dreamExplainOutputSchema,
  dreamPromoteOutputSchema,
  dreamRejectOutputSchema,
  dreamSignalsOutputSchema,
} from '../../src/engine/dreaming/claim-output-schemas.js';
import {
  dreamListOutputSchema,
  dreamRunOutputSchema,
  dreamScheduleOutputSchema,
  dreamShowOutputSchema,
  dreamStatusOutputSchema,
  dreamSwitchOutputSchema,
  dreamUndoOutputSchema,
} from '../../src/engine/dreaming/output-schemas.js';
import type { JsonDocument } from './json-document.js';

/* Examples shared by documents of dreaming. */

const PLACE_EXAMPLE = { workspace: '/home/ada/.svc/workspace', agents: ['main'] };

const CLAIM_EXAMPLE = {
  key: '28d9c1991a2b3c4d',
  text: 'The nightly backup of the storage server runs at 02:30.',
  source: 'memory',
  path: 'memory/2026-11-18.md',
  startLine: 5,
  endLine: 5,
};

const SIGNALS_EXAMPLE = {
  recalls: 5,
  notes: 0,
  grounded: 0,
  questions: 5,
  days: 4,
  firstSignalAt: '2026-11-16T09:12:00.000Z',
  lastSignalAt: '2026-11-19T16:40:00.000Z',
};

const SWEEP_EXAMPLE = {
  id: '20261120T020000',
  day: '2026-11-20',
  trigger: 'schedule',
  startedAt: '2026-11-20T02:00:00.000Z',
  endedAt: '2026-11-20T02:00:01.204Z',
  phases: {
    light: { state: 'done', ms: 310, counts: { notes: 3, messages: 41, noted: 14, staged: 22 } },
    rem: { state: 'done', ms: 12, counts: { considered: 60, themes: 4, truths: 3 } },
    deep: { state: 'done', ms: 95, counts: { considered: 212, passed: 1, promote: 1 } },
  },
  memory: 'applied',
  written: 1,
  retired: 0,
};

const backfill: JsonDocument = {
  title: 'svc dream backfill',
  introduction:
    'Statements of old notes that are worth remembering, or what a rollback removed; also printed by `svc memory rem-backfill`.',
  schema: dreamBackfillOutputSchema,
  example: {
    ...PLACE_EXAMPLE,
    id: '20261120T093012',
    backfilled: {
      dryRun: false,
      notes: 1,
      notesLeft: 0,
      leans: { lasting: 1, durable: 0, unclear: 2, situational: 5 },
      claims: [
        {
          key: '5d0c2b7f1e9a4c38',
          text: 'We always deploy from main on Tuesdays.',
          path: 'memory/2025-03-04.md',
          startLine: 9,
          endLine: 9,
          lean: 'lasting',
        },
      ],
      skipped: [],
    },
    warnings: [],
  },
};

const run: JsonDocument = {
  title: 'svc dream run',
  introduction:
    'The results of the sweeps, one per workspace; also printed by `svc dream`, `svc memory dream` and `svc memory rem-harness`. Exits with 1 if `ok` is false.',
  schema: dreamRunOutputSchema,
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
  introduction: 'The state of dreaming.',
  schema: dreamStatusOutputSchema,
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
        memory: {
          promoted: 29,
          characters: 9103,
          handwritten: 2410,
          maxCharacters: 20_000,
          bytes: 9120,
        },
        fault: null,
      },
    ],
    warnings: [],
  },
};

const list: JsonDocument = {
  title: 'svc dream list',
  introduction: 'Past sweeps, newest first.',
  schema: dreamListOutputSchema,
  example: { ...PLACE_EXAMPLE, sweeps: [SWEEP_EXAMPLE], warnings: [] },
};

const show: JsonDocument = {
  title: 'svc dream show',
  introduction: 'One sweep, with every change it made to `MEMORY.md`.',
  schema: dreamShowOutputSchema,
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

const candidates: JsonDocument = {
  title: 'svc dream candidates',
  introduction:
    'Open claims within the age limit: first those that pass every gate, then by score. The screen prints no document.',
  schema: dreamCandidatesOutputSchema,
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
        promotes: true,
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
  introduction: 'Why a claim is promoted or not; also printed by `svc memory promote-explain`.',
  schema: dreamExplainOutputSchema,
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
    gates: [{ gate: 'score', passed: true, why: 'score 0.859, needs 0.75' }],
    passes: true,
    note: 'found',
    longTermMemory: 'new',
    trail: [{ sweep: '20261120T020000', day: '2026-11-20', change: 'added', other: null }],
    warnings: [],
  },
};

const signals: JsonDocument = {
  title: 'svc dream signals',
  introduction: 'Claims that searches recalled, latest first.',
  schema: dreamSignalsOutputSchema,
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
    'The result of promoting a claim by hand; also printed by `svc memory promote`. Exits with 1 if `decision` is `skip`.',
  schema: dreamPromoteOutputSchema,
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
  introduction: 'The rejected claim; no sweep will promote it.',
  schema: dreamRejectOutputSchema,
  example: { ...PLACE_EXAMPLE, ...CLAIM_EXAMPLE, warnings: [] },
};

const undo: JsonDocument = {
  title: 'svc dream undo',
  introduction: 'What was undone.',
  schema: dreamUndoOutputSchema,
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
  introduction: 'When sweeps run.',
  schema: dreamScheduleOutputSchema,
  example: {
    enabled: true,
    frequency: '0 3 * * *',
    timeZone: 'Europe/Berlin',
    runs: ['2026-11-21T02:00:00.000Z', '2026-11-22T02:00:00.000Z'],
    warnings: [],
  },
};

const enable: JsonDocument = {
  title: 'svc dream enable and disable',
  introduction: 'The configuration change.',
  schema: dreamSwitchOutputSchema,
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
  backfill,
  schedule,
  enable,
];
