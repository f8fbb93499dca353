import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../../src/engine/config/index.js';
import { claimKeyOf } from '../../../../src/engine/dreaming/claims/claim-words.js';
import { checkGates } from '../../../../src/engine/dreaming/scoring/gates.js';
import {
  type ClaimPlace,
  isShortTermPath,
  OPEN,
  type RecallEntry,
  withSignal,
} from '../../../../src/engine/dreaming/scoring/recall-entry.js';
import {
  poolEvidence,
  SIGNAL_WEIGHTS,
  scoreClaim,
} from '../../../../src/engine/dreaming/scoring/score.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 20, 3);
const HALF_LIFE = 14;
const TEXT = 'The nightly backup runs at 02:30.';
const { dreaming } = resolveConfig({}).plugins.entries['memory-core'].config;
const GATES = {
  ...dreaming.phases.deep,
  minScore: 0.75,
  minRecallCount: 3,
  minUniqueQueries: 3,
  maxAgeDays: 30,
};

function anEntry(over: Partial<RecallEntry> = {}): RecallEntry {
  return {
    key: claimKeyOf(TEXT),
    text: TEXT,
    source: 'memory',
    path: 'memory/2026-11-18.md',
    startLine: 3,
    endLine: 3,
    recallCount: 4,
    dailyCount: 0,
    groundedCount: 0,
    totalScore: 3.2,
    maxScore: 0.9,
    firstSignalMs: NOW - 4 * DAY,
    lastSignalMs: NOW,
    queryHashes: ['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc'],
    days: ['2026-11-16', '2026-11-18', '2026-11-20'],
    tags: ['nightly', 'backup', 'runs'],
    lightHits: 0,
    lightLastMs: null,
    remHits: 0,
    remLastMs: null,
    ...OPEN,
    ...over,
  };
}

const scoreOf = (entry: RecallEntry): number => scoreClaim(entry, NOW, HALF_LIFE).score;

test('a claim has the words and lines of its latest signal', () => {
  const place = { path: 'memory/2026-11-20.md', startLine: 7, endLine: 9 } as const;
  const text = 'The nightly backup runs at 02:30!';
  const key = claimKeyOf(text);
  const day = '2026-11-20';
  const signal = { kind: 'recall', key, text, source: 'memory', score: 0.5, day } as const;
  const placeOf = ({ text, path, startLine, endLine }: RecallEntry) => [
    text,
    path,
    startLine,
    endLine,
  ];
  const known = anEntry();
  const later = withSignal(known, { ...signal, ...place, atMs: NOW });
  assert.equal(placeOf(later), [text, place.path, 7, 9]);
  const earlier = withSignal(known, { ...signal, ...place, atMs: NOW - 1 });
  assert.equal(placeOf(earlier), placeOf(known));
});

test('the weights of the six signals add up to 1', () => {
  const sum = Object.values(SIGNAL_WEIGHTS).reduce((total, weight) => total + weight, 0);
  assert.ok(Math.abs(sum - 1) < 1e-12);
});

test('each signal by hand', () => {
  const { signals } = scoreClaim(anEntry(), NOW, HALF_LIFE);
  assert.is(signals.frequency, Math.log1p(4) / Math.log1p(10));
  assert.is(signals.relevance, 0.8);
  assert.is(signals.diversity, 0.6);
  assert.is(signals.recency, 1);
  assert.is(signals.consolidation, 0.55 * (Math.log1p(2) / Math.log1p(4)) + 0.45 * (4 / 7));
  assert.is(signals.conceptual, 0.5);
});

test('recency halves in a half-life; one day alone is worth a fifth of consolidation', () => {
  const { signals } = scoreClaim(
    anEntry({ lastSignalMs: NOW - HALF_LIFE * DAY, days: ['2026-11-06'] }),
    NOW,
    HALF_LIFE,
  );
  assert.is(signals.recency, 0.5);
  assert.is(signals.consolidation, 0.2);
});

test('phases add at most 0.06 and 0.09, less as time goes by', () => {
  const fresh = scoreClaim(
    anEntry({ lightHits: 50, lightLastMs: NOW, remHits: 50, remLastMs: NOW }),
    NOW,
    HALF_LIFE,
  );
  assert.is(fresh.lightBoost, 0.06);
  assert.is(fresh.remBoost, 0.09);
  const old = scoreClaim(anEntry({ remHits: 50, remLastMs: NOW - 14 * DAY }), NOW, HALF_LIFE);
  assert.is(old.remBoost, 0.045);
});

const entries: fc.Arbitrary<RecallEntry> = fc
  .record({
    recallCount: fc.nat({ max: 30 }),
    dailyCount: fc.nat({ max: 10 }),
    groundedCount: fc.nat({ max: 4 }),
    mean: fc.double({ min: 0, max: 1, noNaN: true }),
    age: fc.nat({ max: 60 }),
    queries: fc.nat({ max: 12 }),
    days: fc.uniqueArray(fc.nat({ max: 27 }), { maxLength: 16 }),
    tags: fc.nat({ max: 8 }),
    light: fc.nat({ max: 9 }),
    rem: fc.nat({ max: 9 }),
  })
  .map((drawn) =>
    anEntry({
      recallCount: drawn.recallCount,
      dailyCount: drawn.dailyCount,
      groundedCount: drawn.groundedCount,
      totalScore: drawn.mean * (drawn.recallCount + drawn.dailyCount + drawn.groundedCount),
      lastSignalMs: NOW - drawn.age * DAY,
      queryHashes: Array.from({ length: drawn.queries }, (_, i) => `q${i}`),
      days: drawn.days
        .sort((a, b) => a - b)
        .map((day) => `2026-11-${`${day + 1}`.padStart(2, '0')}`),
      tags: Array.from({ length: drawn.tags }, (_, i) => `tag${i}`),
      lightHits: drawn.light,
      lightLastMs: NOW - DAY,
      remHits: drawn.rem,
      remLastMs: NOW - DAY,
    }),
  );

/** One more of each signal, of the relevance the entry has. */
const MORE: Readonly<Record<string, (entry: RecallEntry) => RecallEntry>> = {
  'a recall as relevant': (entry) => {
    const count = entry.recallCount + entry.dailyCount + entry.groundedCount;
    const mean = count === 0 ? 0 : entry.totalScore / count;
    return { ...entry, recallCount: entry.recallCount + 1, totalScore: entry.totalScore + mean };
  },
  'a higher relevance': (entry) => ({ ...entry, totalScore: entry.totalScore + 0.1 }),
  'another question': (entry) => ({ ...entry, queryHashes: [...entry.queryHashes, 'another'] }),
  'another day': (entry) => ({ ...entry, days: [...entry.days, '2026-11-29'] }),
  'a later signal': (entry) => ({
    ...entry,
    lastSignalMs: Math.min(NOW, entry.lastSignalMs + DAY),
  }),
  'another concept': (entry) => ({ ...entry, tags: [...entry.tags, 'another'] }),
  'another light phase': (entry) => ({
    ...entry,
    lightHits: entry.lightHits + 1,
    lightLastMs: NOW,
  }),
  'another REM phase': (entry) => ({ ...entry, remHits: entry.remHits + 1, remLastMs: NOW }),
};

for (const [what, more] of Object.entries(MORE)) {
  test(`${what} never lowers a score`, () => {
    fc.assert(fc.property(entries, (entry) => scoreOf(more(entry)) >= scoreOf(entry) - 1e-12));
  });
}

const failed = (over: Partial<RecallEntry>): readonly string[] => {
  const entry = anEntry(over);
  const { gates } = checkGates(entry, GATES, NOW);
  assert.is(gates.length, 9);
  return gates.filter(({ passed }) => !passed).map(({ gate }) => gate);
};

const STRONG: Partial<RecallEntry> = {
  recallCount: 9,
  totalScore: 8.1,
  remHits: 3,
  remLastMs: NOW,
};

test('a claim recalled often, recently and by different queries passes every gate', () => {
  assert.equal(failed(STRONG), []);
});

const place = (path: string) =>
  ({ source: 'memory', path, startLine: 1, endLine: 1 }) satisfies ClaimPlace;

const GATE_TABLE: readonly (readonly [string, Partial<RecallEntry>])[] = [
  ['short_term', place('memory/servers.md')],
  ['clean', { text: 'TODO write to Ana about it' }],
  ['lasting', { text: 'We might move the backup to the new cluster next month.' }],
  ['lasting', { text: 'Ana spent the morning on billing with little to show for it.' }],
  ['open', { fate: 'rejected', fateMs: NOW }],
  ['open', { fate: 'promoted', fateMs: NOW, fateSweep: 's' }],
  ['asked', { recallCount: 0, dailyCount: 9 }],
  ['unique_queries', { queryHashes: ['a'], days: ['2026-11-14', '2026-11-20'] }],
];

for (const [gate, over] of GATE_TABLE) {
  test(`the gate ${gate} can be the only closed one`, () =>
    assert.equal(failed({ ...STRONG, ...over }), [gate]));
}

test('few signals, old age and a low score each close a gate', () => {
  assert.ok(failed({ recallCount: 2, totalScore: 1.8 }).includes('recall_count'));
  assert.ok(failed({ ...STRONG, lastSignalMs: NOW - 31 * DAY }).includes('age'));
  assert.ok(failed({ totalScore: 0.4 }).includes('score'));
});

test('daily notes and conversations are short-term memory; what dreaming wrote is not', () => {
  assert.ok(isShortTermPath('memory', 'memory/2026-11-18.md'));
  assert.ok(isShortTermPath('memory', 'memory/work/2026-11-18.md'));
  assert.ok(isShortTermPath('memory', 'memory/two\nlines/2026-11-18.md'));
  assert.ok(isShortTermPath('memory', '2026-11-18.md'));
  assert.ok(isShortTermPath('sessions', 'sessions/main/a.jsonl'));
  for (const path of [
    'MEMORY.md',
    'memory/servers.md',
    'memory/dreaming/deep/2026-11-18.md',
    'x/2026-11-18.md',
    'memory/2026-13-45.md',
    'memory/2026-02-30.md',
  ]) {
    assert.not(isShortTermPath('memory', path), path);
  }
});

test('a count of one is in the singular', () => {
  const entry = anEntry({ queryHashes: ['aaaaaaaaaaaa'], days: ['2026-11-16'] });
  const { gates } = checkGates(entry, { ...GATES, maxAgeDays: 1 }, NOW);
  const whys = new Map(gates.map(({ gate, why }) => [gate, why]));
  assert.is(whys.get('unique_queries'), '1 different question or day, needs 3');
  assert.is(whys.get('age'), 'last signal today, limit 1 day');
});

test('the evidence of thousands of claims is added in steps, between which an interruption is noticed', async () => {
  const claims = Array.from({ length: 350 }, (_, at) => {
    const text = `Room ${at} has ${at} lamps.`;
    return anEntry({ key: claimKeyOf(text), text });
  });
  const poolUntil = (turns: number) => {
    const stop = new AbortController();
    let left = turns;
    const turn = (): void => {
      left -= 1;
      if (left === 0) stop.abort(new Error('Ctrl-C'));
      else setImmediate(turn);
    };
    setImmediate(turn);
    return poolEvidence({ recalledSince: () => claims }, 0, stop.signal);
  };
  assert.is((await poolUntil(100)).size, claims.length);
  // While claims are read, and while they are compared.
  for (const turns of [2, 6]) {
    const stopped = await poolUntil(turns).catch(({ message }: Error) => message);
    assert.is(stopped, 'Ctrl-C');
  }
});

test.run();
