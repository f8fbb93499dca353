/* What several documents of dreaming share: meanings by field, and examples. */

/** The workspace that a document is about. */
export const PLACE = {
  workspace: 'Absolute path.',
  agents: 'The agents whose workspace it is; one folder is swept once for all of them.',
};

/** A claim by itself. */
export const CLAIM = {
  key: 'Its name: 16 hexadecimal digits, made from its words.',
  text: 'What it says, on one line.',
  source: 'Where its document belongs.',
  path: 'Its document, relative to the workspace.',
  startLine: 'First line where it was seen last, counted from 1.',
  endLine: 'Last line, itself included.',
};

/** How often a claim showed that it may be useful. */
export const SIGNALS = {
  recalls: 'Searches that it answered.',
  notes: 'Daily notes that a light phase found it in.',
  grounded: 'Signals of a backfill.',
  questions: 'Different questions among them, at most the newest 32.',
  days: 'Different days among them, at most the newest 16.',
  firstSignalAt: 'When it was met first.',
  lastSignalAt: 'When it was met last.',
};

/** What was decided about a claim. */
export const DECISION = {
  ...CLAIM,
  score: 'The weighted signals and the boosts; may go over 1.',
  decision:
    '`promote`: written. `renew`: written in place of an older entry. `said`: `MEMORY.md` says it already. `skip`: its note does not say it any more.',
  why: 'Only of `skip`: the note says something alike now, or nothing of the kind.',
  prior: 'Only of `renew`: the claim whose entry it replaced.',
};

const PHASE = 'Left out while it has not run.';
const phase = (name: string): Readonly<Record<string, string>> => ({
  [`phases.${name}`]: PHASE,
  [`phases.${name}.state`]: '`off`: switched off, or not asked for.',
  [`phases.${name}.ms`]: 'How long it took, in milliseconds.',
  [`phases.${name}.counts`]: 'What it met and did, by name.',
  [`phases.${name}.error`]: 'Why it failed.',
});

/** A sweep as it is remembered. */
export const SWEEP = {
  id: 'Its name: the moment it began, in UTC.',
  day: 'Its day in the time zone of dreaming.',
  trigger: 'Why it ran. `promote`: a claim was promoted by hand.',
  startedAt: 'When it began.',
  endedAt: 'When it ended; `null` while it runs, and for ever when it was killed.',
  phases: 'How each phase went.',
  ...phase('light'),
  ...phase('rem'),
  ...phase('deep'),
  memory:
    'How far its change of `MEMORY.md` came. `planned`: it was killed on the way, and the next one ends it.',
  written: 'Entries that it added or replaced.',
};

export const PLACE_EXAMPLE = { workspace: '/home/ada/.svc/workspace', agents: ['main'] };

export const CLAIM_EXAMPLE = {
  key: '28d9c1991a2b3c4d',
  text: 'The nightly backup of the storage server runs at 02:30.',
  source: 'memory',
  path: 'memory/2026-11-18.md',
  startLine: 5,
  endLine: 5,
};

export const SIGNALS_EXAMPLE = {
  recalls: 5,
  notes: 0,
  grounded: 0,
  questions: 5,
  days: 4,
  firstSignalAt: '2026-11-16T09:12:00.000Z',
  lastSignalAt: '2026-11-19T16:40:00.000Z',
};

export const SWEEP_EXAMPLE = {
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
};
