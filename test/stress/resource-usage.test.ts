import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { growthOf, lowestOf } from '../../stress/soak/resource-usage.js';

/** A sample a second. */
const samples = (values: readonly number[]) =>
  values.map((value, at) => ({ atMs: at * 1000, value }));
/** Up and down, as garbage is left and collected. */
const saw = Array.from({ length: 120 }, (_, at) => 100 + (at % 9));

test('a leak is detected beneath temporary allocations', () => {
  const growth = growthOf(samples(saw.map((value, at) => value + at * 0.2)));
  assert.ok(Math.abs(growth - 119 * 0.2) < 3, String(growth));
});

test('temporary allocations and a burst are not growth', () => {
  assert.ok(Math.abs(growthOf(samples(saw))) < 1);
  assert.ok(Math.abs(growthOf(samples(saw.map((value, at) => (at === 100 ? 900 : value))))) < 1);
  assert.is(growthOf([]), 0);
});

test('garbage that is collected late is not growth, a leak beneath it is', () => {
  const late = Array.from({ length: 360 }, (_, at) => 100 + (at > 180 && at % 50 > 5 ? 40 : 0));
  assert.ok(Math.abs(growthOf(lowestOf(samples(late), 60_000))) < 1);
  const leaking = samples(late.map((value, at) => value + at * 0.1));
  assert.ok(growthOf(lowestOf(leaking, 60_000)) > 20);
});

test.run();
