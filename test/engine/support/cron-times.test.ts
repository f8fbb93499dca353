import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
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
});

test.run();
