import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLifetime, readSince } from '../../src/cli/flags.js';
import { SvcError } from '../../src/engine/errors/index.js';

const test = suite('times in flags');

const NOW_MS = Date.parse('2026-11-20T09:00:00Z');
const DAY_MS = 86_400_000;

const isRefused = (error: unknown): boolean => error instanceof SvcError && error.code === 'USAGE';

test('a lifetime is a duration, a future date, or endless', () => {
  assert.is(readLifetime('90d', NOW_MS), 90 * DAY_MS);
  assert.is(readLifetime('2026-11-22T09:00Z', NOW_MS), 2 * DAY_MS);
  assert.is(readLifetime('never', NOW_MS), undefined);
  assert.throws(() => readLifetime('2026-11-19', NOW_MS), isRefused);
});

test('a lifetime that ends in a year of five digits, which the token file cannot have, is refused', () => {
  assert.throws(() => readLifetime('420000w', NOW_MS), isRefused);
  assert.throws(() => readLifetime('9999-12-31', NOW_MS), isRefused);
});

test('a date is midnight in UTC; a day that does not exist is refused', () => {
  assert.is(readSince('7d', NOW_MS), NOW_MS - 7 * DAY_MS);
  assert.is(readSince('2026-03-01', NOW_MS), Date.UTC(2026, 2, 1));
  assert.is(readSince('2026-03-01T08:00+01:00', NOW_MS), Date.UTC(2026, 2, 1, 7));
  assert.is(readSince('2024-02-29', NOW_MS), Date.UTC(2024, 1, 29));
  for (const text of ['2026-02-30', '2026-02-29T08:00Z', '2026-13-01', 'yesterday']) {
    assert.throws(() => readSince(text, NOW_MS), isRefused, text);
  }
  assert.throws(() => readLifetime('2027-02-30', NOW_MS), isRefused);
});

test.run();
