import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLifetime } from '../../src/cli/flags.js';
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

test.run();
