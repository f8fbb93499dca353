import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exponentOf, plotOf } from '../../bench/growth-plot.js';

const TIMES = [1, 4, 16];

function pointsOf(value: (times: number) => number) {
  return TIMES.map((times) => ({ times, value: value(times) }));
}

for (const exponent of [0, 0.5, 1, 2]) {
  test(`growth of n^${exponent} is recognised`, () => {
    const found = exponentOf(pointsOf((times) => 7 * times ** exponent));
    assert.ok(Math.abs(found - exponent) < 1e-9, `${found}`);
  });
}

test('a plot has a panel for each metric, a line for each method, and no invalid number', () => {
  const svg = plotOf([
    { what: 'index, words', unit: 's', points: pointsOf((times) => 0.3 * times) },
    { what: 'index, meaning', unit: 's', points: pointsOf((times) => times) },
    {
      what: 'memory, words',
      unit: 'MiB',
      points: [...pointsOf(() => 80), { times: 64, value: 81 }],
    },
  ]);
  assert.is(svg.match(/class="title"/g)?.length, 2);
  assert.is(svg.match(/<circle/g)?.length, 10);
  assert.not.match(svg, /NaN|Infinity|undefined/);
});

test('a metric that is the same at all sizes is drawn too', () => {
  const svg = plotOf([{ what: 'memory, words', unit: 'MiB', points: pointsOf(() => 50) }]);
  assert.not.match(svg, /NaN|Infinity/);
});

test.run();
