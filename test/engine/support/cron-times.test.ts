import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CronFields, parseCron } from '../../../src/engine/support/cron.js';
import { lastRun, nextRuns } from '../../../src/engine/support/cron-times.js';
import { anyCron, ZONES } from '../../support/cron.js';

const START = Date.parse('2026-03-01T00:00:00Z');
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

test('the last of many due times is found, with daylight saving', () => {
  fc.assert(
    fc.property(
      anyCron,
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 250 * 1440 }),
      fc.integer({ min: 0, max: 300 }),
      (cron, zone, from, minutes) => {
        const afterMs = START + from * MINUTE;
        const untilMs = afterMs + minutes * MINUTE;
        const all = nextRuns(cron, zone, afterMs, minutes + 1).filter((at) => at <= untilMs);
        assert.is(lastRun(cron, zone, { afterMs, untilMs }), all.at(-1));
      },
    ),
    { numRuns: 60 },
  );
});

test('a year of minutes takes few steps', () => {
  const span = { afterMs: START, untilMs: START + 365 * DAY };
  assert.is(lastRun('* * * * *', 'UTC', span), span.untilMs);
  assert.is(lastRun('0 0 1 1 *', 'UTC', { ...span, untilMs: START + DAY }), undefined);
  assert.is(lastRun('0 0 29 2 *', 'UTC', span), undefined);
});

test('a time that daylight saving skips runs after the gap, and one that it repeats runs once', () => {
  const runsOf = (cron: string, day: string): readonly string[] =>
    nextRuns(cron, 'Europe/Berlin', Date.parse(`${day}T12:00:00Z`), 2).map((at) =>
      new Date(at).toISOString(),
    );
  assert.equal(runsOf('30 2 * * *', '2026-03-28'), [
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
  assert.equal(runsOf('30 2 * * *', '2026-10-24'), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
  // Its clock shows 02:10 for the second time.
  const repeated = Date.parse('2026-10-25T01:10:00Z');
  assert.equal(nextRuns('30 2 * * *', 'Europe/Berlin', repeated, 1), [
    Date.parse('2026-10-26T01:30:00Z'),
  ]);
  assert.equal(runsOf('30 2,14 * * *', '2026-03-28'), [
    '2026-03-28T13:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
  ]);
  assert.equal(runsOf('30 2,14 25 * *', '2026-10-24'), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T13:30:00.000Z',
  ]);
  assert.equal(runsOf('0,30 2 * * *', '2026-03-28'), [
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:00:00.000Z',
  ]);
});

test('a schedule for every hour runs by elapsed time', () => {
  for (const day of ['2026-03-29', '2026-10-25']) {
    const runs = nextRuns('*/20 * * * *', 'Europe/Berlin', Date.parse(`${day}T00:00:00Z`), 9);
    const steps = runs.slice(1).map((at, index) => at - (runs[index] ?? 0));
    assert.equal([...new Set(steps)], [20 * MINUTE], day);
  }
});

const anyField = (from: number, to: number): fc.Arbitrary<string> => {
  const value = fc.integer({ min: from, max: to });
  const range = fc.tuple(value, value).map((ends) => ends.toSorted((a, b) => a - b).join('-'));
  const span = fc.oneof(fc.constant('*'), value.map(String), range);
  const stepped = fc.tuple(span, fc.integer({ min: 1, max: 120 })).map((parts) => parts.join('/'));
  return fc.array(fc.oneof(span, stepped), { minLength: 1, maxLength: 3 }).map(String);
};

test('any valid expression runs at its times', () => {
  const expression = fc
    .tuple(anyField(0, 59), anyField(0, 23), anyField(1, 31), anyField(1, 12), anyField(0, 7))
    .map((fields) => fields.join(' '));
  fc.assert(
    fc.property(expression, fc.integer({ min: 0, max: 365 }), (cron, day) => {
      const parsed = parseCron(cron);
      if (!parsed.ok) throw new Error(parsed.reason);
      const afterMs = START + day * DAY;
      const wanted: number[] = [];
      for (let at = afterMs + MINUTE; at <= afterMs + 3 * DAY; at += MINUTE) {
        if (isDue(parsed.fields, new Date(at))) wanted.push(at);
      }
      const found = nextRuns(cron, 'UTC', afterMs, 20).filter((at) => at <= afterMs + 3 * DAY);
      assert.equal(found, wanted.slice(0, 20));
    }),
  );
});

function isDue(fields: CronFields, at: Date): boolean {
  const { minutes, hours, months, daysOfMonth, daysOfWeek } = fields;
  const isTime = minutes.has(at.getUTCMinutes()) && hours.has(at.getUTCHours());
  const days = [daysOfMonth.has(at.getUTCDate()), daysOfWeek.has(at.getUTCDay())];
  const needsBoth = fields.anyDayOfMonth || fields.anyDayOfWeek;
  const isDay = needsBoth ? days.every(Boolean) : days.some(Boolean);
  return isTime && months.has(at.getUTCMonth() + 1) && isDay;
}

test.run();
