import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  durationMs,
  isFarAhead,
  isWithin,
  jumpDetector,
  MOST_AHEAD_MS,
  MS_PER_DAY,
  msSince,
  runningMs,
} from '../../../src/engine/support/time.js';

const test = suite('times');

test('durations are read in every unit, and nothing else is', () => {
  for (const [text, ms] of [
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['2h', 7_200_000],
    ['7d', 7 * MS_PER_DAY],
    ['2w', 14 * MS_PER_DAY],
    ['1y', 365 * MS_PER_DAY],
    ['99999y', 99_999 * 365 * MS_PER_DAY],
  ] as const) {
    assert.is(durationMs(text), ms, text);
  }
  for (const text of ['', '7', 'd', '7ms', '1.5h', '-1d', ' 1d', '1d ', '1234567s', '123456y']) {
    assert.is(durationMs(text), undefined, text);
  }
});

test('a measured duration has at most two decimals, as documents show it', () => {
  const digits = Array.from({ length: 50 }, (_, n) => String(msSince(runningMs() - n / 7)));
  assert.equal(
    digits.filter((ms) => !/^\d+(\.\d{1,2})?$/u.test(ms)),
    [],
  );
  const ms = msSince(runningMs() - 40);
  assert.ok(ms >= 40, String(ms));
});

test('a clock that is set shows up once, a small difference does not', () => {
  let [wallMs, steadyMs] = [1_000_000, 0];
  const jump = jumpDetector(
    () => wallMs,
    () => steadyMs,
  );
  for (let second = 0; second < 100; second++) {
    steadyMs += 1000;
    wallMs += 1005;
    assert.is(jump(), undefined);
  }
  for (const byMs of [5000, -60_000]) {
    wallMs += byMs;
    const found = jump();
    assert.is(found?.atMs, wallMs);
    assert.ok(Math.abs((found?.byMs ?? 0) - byMs) <= 1000);
    assert.is(jump(), undefined);
  }
});

test('only what began within the time counts, and not what is still to come', () => {
  const within = [9, 10, 14, 15].map((nowMs) => isWithin(10, nowMs, 5));
  assert.equal(within, [false, true, true, false]);
});

test('a recorded time some hours ahead is a wrong clock', () => {
  assert.not(isFarAhead(1000 + MOST_AHEAD_MS, 1000));
  assert.ok(isFarAhead(1001 + MOST_AHEAD_MS, 1000));
  assert.not(isFarAhead(1, 1000));
});

test.run();
