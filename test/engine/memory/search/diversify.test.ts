import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diversify } from '../../../../src/engine/memory/search/results.js';

const test = suite('diversity');

const items = fc
  .array(
    fc.record({
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      text: fc.array(fc.constantFrom('alpha', 'beta', 'gamma', 'delta'), { maxLength: 6 }),
    }),
    { maxLength: 15 },
  )
  .map((rows) =>
    rows
      .sort((a, b) => b.score - a.score)
      .map(({ score, text }, id) => ({ id, score, text: text.join(' ') })),
  );

test('returns as many as requested, each once, the best one first', () => {
  fc.assert(
    fc.property(
      items,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(20),
      (all, lambda, count) => {
        const chosen = diversify(all, lambda, count);
        assert.is(chosen.length, Math.min(count, all.length));
        assert.is(new Set(chosen.map(({ item }) => item.id)).size, chosen.length);
        if (lambda > 0 && chosen.length > 0) assert.is(chosen[0]?.item.score, all[0]?.score);
      },
    ),
  );
});

test('λ = 1 keeps the order', () => {
  fc.assert(
    fc.property(items, (all) => {
      const chosen = diversify(all, 1, all.length).map(({ item }) => item.score);
      assert.equal(
        chosen,
        all.map(({ score }) => score),
      );
    }),
  );
});

test('a passage that repeats another makes room for a different one', () => {
  const found = [
    { score: 0.9, text: 'the backup runs at two in the night' },
    { score: 0.88, text: 'the backup runs at two in the night, always' },
    { score: 0.8, text: 'restoring takes an hour' },
    { score: 0.2, text: 'lunch is at noon' },
  ];
  const order = diversify(found, 0.5, 4).map(({ item }) => found.indexOf(item));
  assert.equal(order, [0, 2, 1, 3]);
});

test('reports how much a passage repeats', () => {
  const same = { score: 0.5, text: 'one two' };
  const chosen = diversify([same, { ...same }], 0.7, 2);
  assert.equal(
    chosen.map(({ overlap }) => overlap),
    [0, 1],
  );
});

test.run();
