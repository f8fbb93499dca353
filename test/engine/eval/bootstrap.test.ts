import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareRuns, differenceOf } from '../../../src/engine/eval/compare-runs.js';
import type { Metrics } from '../../../src/engine/eval/metrics.js';

const test = suite('differences between runs');

function metrics(mrr: number): Metrics {
  return {
    recall5: mrr,
    recall: mrr,
    mrr,
    ndcg: mrr,
    hit5: 1,
    hit: 1,
    evidence: null,
    seen: null,
    evidence4k: null,
    none: 0,
    characters: 100,
  };
}

test('equal runs never differ significantly', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), fc.nat(), (values, seed) => {
      const run = values.map(metrics);
      for (const { difference, beyondChance, p } of compareRuns(run, run, seed)) {
        assert.equal([difference, beyondChance, p], [0, false, 1]);
      }
    }),
    { numRuns: 50 },
  );
});

test('a change of every question is significant, and within its bounds', () => {
  const before = Array.from({ length: 50 }, (_, at) => metrics(at / 100));
  const after = before.map(({ mrr }) => metrics(mrr + 0.1));
  const [recall5] = compareRuns(before, after, 1);
  assert.is(recall5?.metric, 'recall5');
  assert.ok(recall5?.beyondChance);
  assert.ok(Math.abs((recall5?.difference ?? 0) - 0.1) < 1e-9);
  assert.ok((recall5?.low ?? 0) > 0.0999 && (recall5?.high ?? 1) < 0.1001);
});

test('a metric that no question has is left out', () => {
  const run = [metrics(0.5)];
  const names = compareRuns(run, run, 1).map(({ metric }) => metric);
  assert.equal(names, ['recall5', 'recall', 'mrr', 'ndcg', 'hit5', 'hit']);
});

test('as many improvements as losses are not significant', () => {
  const values = Float64Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? 0.5 : -0.5));
  const verdict = differenceOf(values, 3);
  assert.is(verdict?.beyondChance, false);
  assert.ok((verdict?.low ?? 0) < 0 && (verdict?.high ?? 0) > 0 && (verdict?.p ?? 0) > 0.5);
});

test('five improved questions among many are not significant, six are', () => {
  const changed = (count: number) =>
    differenceOf(
      Float64Array.from({ length: 40 }, (_, at) => (at < count ? 1 : 0)),
      1,
    );
  assert.is(changed(5)?.beyondChance, false);
  assert.is(changed(6)?.beyondChance, true);
});

test('swapping the runs flips the sign', () => {
  const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(values, (given) => {
      const there = differenceOf(Float64Array.from(given), 5);
      const back = differenceOf(
        Float64Array.from(given, (value) => -value),
        5,
      );
      assert.ok(Math.abs((there?.difference ?? 0) + (back?.difference ?? 0)) < 1e-9);
      assert.ok(Math.abs((there?.p ?? 0) - (back?.p ?? 0)) < 1e-9);
      assert.is(there?.beyondChance, back?.beyondChance);
      assert.ok((there?.low ?? 0) <= (there?.high ?? 0));
    }),
    { numRuns: 50 },
  );
});

test('the same seed gives the same verdict', () => {
  const values = Float64Array.from({ length: 30 }, (_, at) => ((at * 7) % 11) / 11 - 0.4);
  assert.equal(differenceOf(values, 9), differenceOf(values, 9));
});

test.run();
