import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type FusionCandidate,
  type FusionShares,
  fuse,
} from '../../../../src/engine/memory/search/fuse.js';

const test = suite('fusion');

const score = fc.double({ min: 0, max: 1, noNaN: true });

function candidateOf(
  chunkId: number,
  sides: Partial<Pick<FusionCandidate, 'ageDays' | 'textScore' | 'vectorScore'>> = {},
): FusionCandidate {
  const place = { source: 'memory', path: `n${chunkId % 3}.md`, startLine: chunkId } as const;
  const chunk = {
    ...({ ...place, kind: 'markdown', modifiedMs: 0 } as const),
    chunkId,
    endLine: chunkId,
    headingPath: [],
    text: '',
    bm25: 0,
  };
  const ranked = { chunk, lines: [], above: [], rank: 0 };
  return {
    ranked,
    textScore: 0,
    vectorScore: undefined,
    ageDays: undefined,
    ...sides,
  };
}

const candidates = fc
  .array(
    fc.record({
      textScore: score,
      vectorScore: fc.option(score, { nil: undefined }),
      ageDays: fc.option(fc.nat(4000), { nil: undefined }),
    }),
    { maxLength: 30 },
  )
  .map((rows) => rows.map((row, index) => candidateOf(index, row)));

const shares = score.map((vector): FusionShares => ({ vector, text: 1 - vector }));
const halfLife = fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined });

function idsOf(
  found: readonly { readonly ranked: { readonly chunk: { readonly chunkId: number } } }[],
) {
  return found.map(({ ranked }) => ranked.chunk.chunkId);
}

test('with vectors only, of zero scores the nearer ranks first', () => {
  const [far, near] = [0.1, 0.3].map((similarity, at) => {
    return { ...candidateOf(at, { vectorScore: 0 }), similarity };
  });
  assert.ok(far && near);
  const fused = fuse([far, near], { shares: { text: 0, vector: 1 }, halfLifeDays: undefined });
  assert.equal(idsOf(fused), [1, 0]);
});

test('keeps every candidate once, best first, with scores from 0 to 1', () => {
  fc.assert(
    fc.property(candidates, shares, halfLife, (found, weights, halfLifeDays) => {
      const fused = fuse(found, { shares: weights, halfLifeDays });
      assert.equal(
        idsOf(fused).sort((a, b) => a - b),
        idsOf(found),
      );
      const scores = fused.map((chunk) => chunk.score);
      assert.ok(scores.every((value) => value >= 0 && value <= 1 + 1e-12));
      assert.equal(
        scores,
        [...scores].sort((a, b) => b - a),
      );
    }),
  );
});

test('the order in which candidates come does not matter', () => {
  fc.assert(
    fc.property(
      candidates.chain((found) =>
        fc.tuple(fc.constant(found), fc.shuffledSubarray(found, { minLength: found.length })),
      ),
      shares,
      ([found, shuffled], weights) => {
        const options = { shares: weights, halfLifeDays: 30 };
        assert.equal(idsOf(fuse(shuffled, options)), idsOf(fuse(found, options)));
      },
    ),
  );
});

test('more on either side never lowers a score', () => {
  fc.assert(
    fc.property(score, score, score, shares, (text, vector, more, weights) => {
      const scoreOf = (textScore: number, vectorScore: number): number => {
        const [only] = fuse([candidateOf(1, { textScore, vectorScore })], {
          shares: weights,
          halfLifeDays: undefined,
        });
        return only?.score ?? Number.NaN;
      };
      const before = scoreOf(text, vector);
      assert.ok(scoreOf(Math.max(text, more), vector) >= before);
      assert.ok(scoreOf(text, Math.max(vector, more)) >= before);
    }),
  );
});

test('all weight on one side orders by that side alone', () => {
  const found = [
    candidateOf(1, { textScore: 0.9, vectorScore: 0.1 }),
    candidateOf(2, { textScore: 0.1, vectorScore: 0.9 }),
  ];
  const by = (text: number): number[] =>
    idsOf(fuse(found, { shares: { text, vector: 1 - text }, halfLifeDays: undefined }));
  assert.equal(by(1), [1, 2]);
  assert.equal(by(0), [2, 1]);
});

test('at the default weights, a provider only adds to the score that keywords give', () => {
  fc.assert(
    fc.property(score, score, (textScore, vectorScore) => {
      const [only] = fuse([candidateOf(1, { textScore, vectorScore })], {
        shares: { text: 0.3, vector: 0.7 },
        halfLifeDays: undefined,
      });
      const either = 1 - (1 - textScore) * (1 - vectorScore);
      assert.ok(Math.abs((only?.score ?? 0) - either) < 1e-12);
    }),
  );
});

test('more weight for one side means less of the other', () => {
  const scored = [0.1, 0.3, 0.6, 0.9].map((text) => {
    const shares = { text, vector: 1 - text };
    const both = [{ textScore: 0.5 }, { vectorScore: 0.5 }].map((side, at) => {
      return candidateOf(at, { textScore: 0, vectorScore: 0, ...side });
    });
    const fused = fuse(both, { shares, halfLifeDays: undefined });
    return both.map(({ ranked }) => fused.find((one) => one.ranked === ranked)?.score ?? 0);
  });
  const [words, vectors] = [0, 1].map((side) => scored.map((pair) => pair[side] ?? 0));
  assert.equal(
    words,
    words?.toSorted((a, b) => a - b),
  );
  assert.equal(
    vectors,
    vectors?.toSorted((a, b) => b - a),
  );
  assert.equal([words?.[1], vectors?.[1]], [0.5, 0.5]);
});

test('a passage that has no vector yet is judged by its words', () => {
  const [only] = fuse([candidateOf(1, { textScore: 0.6 })], {
    shares: { text: 0.3, vector: 0.7 },
    halfLifeDays: undefined,
  });
  assert.is(only?.score, 0.6);
});

test('a score is halved at the half-life, and ageless passages keep theirs', () => {
  const found = [
    candidateOf(1, { textScore: 0.8, ageDays: 30 }),
    candidateOf(2, { textScore: 0.8 }),
  ];
  const fused = fuse(found, { shares: { text: 1, vector: 0 }, halfLifeDays: 30 });
  assert.equal(
    fused.map((chunk) => [chunk.ranked.chunk.chunkId, chunk.score]),
    [
      [2, 0.8],
      [1, 0.4],
    ],
  );
});

test('of equal scores the newer ranks first, ageless ones above all, with or without decay', () => {
  const ages = [900, 3, undefined, 500];
  const found = ages.map((ageDays, id) => candidateOf(id, { textScore: 0.5, ageDays }));
  const options = { shares: { text: 1, vector: 0 }, halfLifeDays: undefined };
  assert.equal(idsOf(fuse(found, options)), [2, 1, 3, 0]);
  assert.equal(idsOf(fuse(found, { ...options, halfLifeDays: 30 })), [2, 1, 3, 0]);
});

test('equal scores of one age are ordered by path, then by line', () => {
  const found = [4, 3, 2, 1].map((id) => candidateOf(id, { textScore: 0.5 }));
  const options = { shares: { text: 1, vector: 0 }, halfLifeDays: undefined };
  assert.equal(idsOf(fuse(found, options)), [3, 1, 4, 2]);
});

test.run();
