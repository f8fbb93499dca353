import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLifetime, readSince, type TimeContext } from '../../src/cli/flag-times.js';
import { SvcError } from '../../src/engine/errors/index.js';

const test = suite('times in flags');

const NOW_MS = Date.parse('2026-11-20T09:00:00Z');
const DAY_MS = 86_400_000;

const isRefused = (error: unknown): boolean => error instanceof SvcError && error.code === 'USAGE';

const inZone = (timeZone: string): TimeContext => ({
  nowMs: NOW_MS,
  userTimeZone: async () => timeZone,
});
const UTC = inZone('UTC');

async function assertRefused(reading: Promise<number | undefined>, text: string): Promise<void> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(isRefused(error), text);
}

test('a lifetime is a duration, a future date, or unlimited', async () => {
  assert.is(await readLifetime('90d', UTC), 90 * DAY_MS);
  assert.is(await readLifetime('2026-11-22T09:00Z', UTC), 2 * DAY_MS);
  assert.is(await readLifetime('never', UTC), undefined);
  assert.is(await readLifetime('2026-11-22T09:00', inZone('America/New_York')), 2 * DAY_MS + 18e6);
  await assertRefused(readLifetime('2026-11-19', UTC), 'in the past');
  await assertRefused(readLifetime('0d', UTC), 'over at once');
});

test('a lifetime that ends in a five-digit year, which the token file cannot store, is refused', async () => {
  for (const text of ['420000w', '9999-12-31']) await assertRefused(readLifetime(text, UTC), text);
});

test('a date is midnight; a day that does not exist is refused', async () => {
  assert.is(await readSince('7d', UTC), NOW_MS - 7 * DAY_MS);
  assert.is(await readSince('1y', UTC), NOW_MS - 365 * DAY_MS);
  await assertRefused(readSince('999999y', UTC), 'longer than dates can be');
  assert.is(await readSince('2026-03-01', UTC), Date.UTC(2026, 2, 1));
  assert.is(await readSince('2026-03-01T08:00+01:00', UTC), Date.UTC(2026, 2, 1, 7));
  assert.is(await readSince('2024-02-29', UTC), Date.UTC(2024, 1, 29));
  for (const text of ['2026-02-30', '2026-02-29T08:00Z', '2026-13-01', 'yesterday']) {
    await assertRefused(readSince(text, UTC), text);
  }
  await assertRefused(readLifetime('2027-02-30', UTC), 'no such day');
});

test("dates without a zone are in the user's time zone, even around clock changes", async () => {
  const paris = inZone('Europe/Paris');
  assert.is(await readSince('2026-03-01', paris), Date.UTC(2026, 1, 28, 23));
  assert.is(await readSince('2026-03-01 08:00', paris), Date.UTC(2026, 2, 1, 7));
  assert.is(await readSince('2026-07-01T08:00:30', paris), Date.UTC(2026, 6, 1, 6, 0, 30));
  assert.is(await readSince('2026-07-01T08:00Z', paris), Date.UTC(2026, 6, 1, 8));
  // Skipped: the clock goes from 2:00 to 3:00.
  assert.is(await readSince('2026-03-29 02:30', paris), Date.UTC(2026, 2, 29, 1));
});

test('durations and times with a zone need no configuration', async () => {
  const broken = {
    nowMs: NOW_MS,
    userTimeZone: () => Promise.reject(new Error('no configuration')),
  };
  assert.is(await readSince('1h', broken), NOW_MS - 3_600_000);
  assert.is(await readSince('2026-03-01T08:00Z', broken), Date.UTC(2026, 2, 1, 8));
});

test.run();
