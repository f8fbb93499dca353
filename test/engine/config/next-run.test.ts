import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseCron } from '../../../src/engine/config/cron.js';
import { nextRun } from '../../../src/engine/config/next-run.js';

function next(cron: string, after: string, timeZone: string): string | undefined {
  const result = parseCron(cron);
  if (!result.ok) throw new Error(result.reason);
  const ms = nextRun(result.fields, Date.parse(after), timeZone);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

test('the next run is after the moment, on the clocks of the zone', () => {
  const cases = [
    ['0 3 * * *', '2026-03-01T02:59:59Z', 'UTC', '2026-03-01T03:00:00.000Z'],
    ['0 3 * * *', '2026-03-01T03:00:00Z', 'UTC', '2026-03-02T03:00:00.000Z'],
    ['0 3 * * *', '2026-01-10T00:00:00Z', 'Europe/Berlin', '2026-01-10T02:00:00.000Z'],
    ['0 3 * * *', '2026-07-10T00:00:00Z', 'Asia/Kolkata', '2026-07-10T21:30:00.000Z'],
    ['30 23 31 12 *', '2026-01-01T00:00:00Z', 'Pacific/Auckland', '2026-12-31T10:30:00.000Z'],
    ['0 3 29 2 *', '2026-03-01T00:00:00Z', 'UTC', '2028-02-29T03:00:00.000Z'],
    ['*/15 9-17 * * mon-fri', '2026-11-20T17:46:00Z', 'UTC', '2026-11-23T09:00:00.000Z'],
    // crontab(5): with both day fields given either may match.
    ['0 0 13 * fri', '2026-11-13T00:00:00Z', 'UTC', '2026-11-20T00:00:00.000Z'],
  ] as const;
  for (const [cron, after, zone, wanted] of cases) {
    assert.is(next(cron, after, zone), wanted, `${cron} ${zone}`);
  }
});

test('a time that the clocks leave out is passed over, one that they show twice comes once', () => {
  // Berlin: 02:00 to 03:00 is left out on 29 March 2026, and shown twice on 25 October.
  assert.is(
    next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin'),
    '2026-03-30T00:30:00.000Z',
  );
  assert.is(
    next('30 2 * * *', '2026-10-25T00:00:00Z', 'Europe/Berlin'),
    '2026-10-25T00:30:00.000Z',
  );
  assert.is(
    next('30 2 * * *', '2026-10-25T00:30:00Z', 'Europe/Berlin'),
    '2026-10-26T01:30:00.000Z',
  );
});

test('what never comes round is undefined', () => {
  assert.is(next('0 0 30 2 *', '2026-01-01T00:00:00Z', 'UTC'), undefined);
});

test('no minute before the next run matches', () => {
  const minute = fc.integer({ min: 0, max: 59 });
  const hour = fc.integer({ min: 0, max: 23 });
  const start = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
  fc.assert(
    fc.property(minute, hour, start, (m, h, afterMs) => {
      const result = parseCron(`${m} ${h} * * *`);
      if (!result.ok) throw new Error(result.reason);
      const at = nextRun(result.fields, afterMs, 'UTC') ?? 0;
      assert.ok(at > afterMs && at - afterMs <= 86_400_000);
      const shown = new Date(at);
      assert.equal([shown.getUTCHours(), shown.getUTCMinutes()], [h, m]);
    }),
  );
});

test.run();
