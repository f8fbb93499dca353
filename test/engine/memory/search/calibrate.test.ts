import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  backgroundOf,
  backgroundsOf,
  vectorScore,
} from '../../../../src/engine/memory/search/calibrate.js';
import { joinCandidates } from '../../../../src/engine/memory/search/combine-scores.js';
import { parseQuery } from '../../../../src/engine/memory/search/query.js';
import {
  apply,
  documentOf,
  embedMissing,
  emptyIndexFile,
  openReadyIndex,
  putChange,
  textVector,
} from '../../../support/vector-index.js';

const test = suite('calibration of vector scores');

const cosine = fc.double({ min: -1, max: 1, noNaN: true });
const sample = fc.array(cosine, { maxLength: 60 });

test('scores lie between 0 and 1 and rise with the cosine', () => {
  fc.assert(
    fc.property(sample, cosine, cosine, fc.integer({ min: 1, max: 4096 }), (seen, a, b, size) => {
      const background = backgroundOf(seen, size);
      const [low, high] = [Math.min(a, b), Math.max(a, b)].map((value) =>
        vectorScore(value, background),
      );
      assert.ok(low !== undefined && high !== undefined);
      assert.ok(low >= 0 && high <= 1 && low <= high);
    }),
  );
});

/** Cosines of a question to passages that have nothing to do with it. */
const around = (middle: number): number[] =>
  Array.from({ length: 200 }, (_, i) => middle + 0.02 * Math.sin(i * 7));

test('models with high and low baseline similarity score the same passage alike', () => {
  const [narrow, wide] = [0.72, 0.08].map((middle) => backgroundOf(around(middle), 768));
  assert.ok(narrow !== undefined && wide !== undefined);
  const score = vectorScore(0.72 + 0.25, narrow);
  assert.ok(Math.abs(score - vectorScore(0.08 + 0.25, wide)) < 0.01);
  assert.ok(score > 0.2);
});

test('what stands out depends on how far the similarities of a model spread', () => {
  const spreads = [0.1, 0.2].map((spread) => {
    return backgroundOf(
      Array.from({ length: 200 }, (_, i) => 0.3 + spread * inverseNormal((i + 0.5) / 200)),
      768,
    );
  });
  for (const [at, spread] of [0.1, 0.2].entries()) {
    assert.ok(Math.abs((spreads[at]?.deviation ?? 0) - spread) < 0.01);
    assert.ok(Math.abs((spreads[at]?.middle ?? 0) - 0.3) < 0.01);
  }
});

/** The value below which a share of a normal distribution lies, by the logistic approximation. */
function inverseNormal(share: number): number {
  return Math.log(share / (1 - share)) / 1.702;
}

test('an unrelated passage has the middle of the similarities', () => {
  const even = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
  assert.ok(Math.abs(backgroundOf(even, 768).middle - 0.45) < 1e-9);
  assert.is(backgroundOf([...even, 0.9], 768).middle, 0.5);
});

test('a passage no more similar than the rest scores 0', () => {
  assert.is(vectorScore(0.73, backgroundOf(around(0.72), 768)), 0);
});

test('one relevant passage among three notes stands out', () => {
  const background = backgroundOf([0.61, 0.1, 0.12], 768);
  assert.ok(vectorScore(0.61, background) > 0.5);
  assert.is(vectorScore(0.12, background), 0);
});

test('a match stands out when it is the only note', () => {
  assert.ok(vectorScore(0.6, backgroundOf([0.6], 768)) > 0.25);
  assert.is(vectorScore(0.2, backgroundOf([0.2], 768)), 0);
});

test('a few notes do not stand out because a model finds everything alike', () => {
  const background = backgroundOf([0.72, 0.71, 0.73], 768);
  assert.ok(vectorScore(0.73, background) < 0.25);
});

test('a perfect match stands out however few dimensions vectors have', () => {
  for (const dimensions of [2, 4, 8, 64]) {
    for (const others of [0, 2, 12]) {
      const background = backgroundOf([1, ...new Array<number>(others).fill(0)], dimensions);
      assert.ok(vectorScore(1, background) > 0.25);
      assert.is(vectorScore(0, background), 0);
    }
  }
});

test('many relevant passages do not hide each other', () => {
  const background = backgroundOf([...around(0.1), ...new Array(40).fill(0.6)], 768);
  assert.ok(vectorScore(0.6, background) > 0.5);
});

test('random vectors, which are never far above the rest, score little', () => {
  const deviation = 1 / Math.sqrt(768);
  const background = backgroundOf(new Array(200).fill(0), 768);
  assert.is(vectorScore(0.9 * deviation, background), 0);
  assert.ok(vectorScore(3 * deviation, background) < 0.15);
});

test('required and excluded words are those that keyword search would find', async () => {
  const index = openReadyIndex(emptyIndexFile());
  const talk = documentOf('sessions/claude-code/a.jsonl', ['User: the router']);
  await apply(index, putChange('memory/home-net.md', 'the router'), {
    type: 'put',
    document: { ...talk, source: 'sessions', kind: 'transcript' },
  });
  await embedMissing(index, 'm', textVector);
  const vector = { identity: 'm', vector: textVector('router'), provider: 'p', model: 'm' };
  const found = async (line: string): Promise<readonly string[]> => {
    const query = parseQuery(line, 'unicode61');
    const { chunks } = await joinCandidates(index, {
      keywords: { query, match: undefined, candidates: [] },
      ...{ vector, limit: 5, filter: {}, tokenizer: 'unicode61' },
      ...{ media: false, standsOut: () => true },
    });
    return chunks.map(({ path }) => path).toSorted();
  };
  const all = ['memory/home-net.md', 'sessions/claude-code/a.jsonl'];
  assert.equal(await found('router -md -claude -jsonl'), all);
  assert.equal(await found('router -net'), ['sessions/claude-code/a.jsonl']);
  assert.equal(await found('router "home net"'), ['memory/home-net.md']);
  assert.equal(await found('router "claude"'), []);
  index.close();
});

/** The background of pictures in an index with these similarities. */
async function mediaMiddle(texts: readonly number[], media: readonly number[]): Promise<number> {
  const index = { sampleSimilarities: async () => ({ texts, media, mediaChunks: new Set([1]) }) };
  const vector = new Float32Array(768);
  const query = { identity: 'm', provider: 'p', model: 'x', vector };
  return (await backgroundsOf(index, query)).of(1).middle;
}

test('few pictures are judged as texts are if that is lower, many by themselves', async () => {
  const texts = around(0.1);
  assert.ok(Math.abs((await mediaMiddle(texts, [0.5, 0.6, 0.7])) - 0.1) < 0.02);
  assert.is(await mediaMiddle(texts, [0.02, 0.6, 0.7]), 0.02);
  const seven = [0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4];
  assert.ok(Math.abs((await mediaMiddle(texts, seven)) - 0.1) < 0.02);
  assert.is(await mediaMiddle(texts, [...seven, 0.4]), 0.4);
});

test('without texts, several pictures are judged by themselves, and a single one stands out', async () => {
  assert.is(await mediaMiddle([], [0.5, 0.6]), 0.5);
  assert.is(await mediaMiddle([], [0.5]), 0);
});

test.run();
