import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  backgroundOf,
  textSide,
  vectorScore,
} from '../../../../src/engine/memory/search/calibrate.js';

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

test('a model that finds everything alike and one that does not score the same passage the same', () => {
  const [narrow, wide] = [0.72, 0.08].map((middle) => backgroundOf(around(middle), 768));
  assert.ok(narrow !== undefined && wide !== undefined);
  const score = vectorScore(0.72 + 0.25, narrow);
  assert.ok(Math.abs(score - vectorScore(0.08 + 0.25, wide)) < 0.01);
  assert.ok(score > 0.2);
});

test('what is no more alike than the rest scores 0', () => {
  assert.is(vectorScore(0.73, backgroundOf(around(0.72), 768)), 0);
});

test('one relevant passage among three notes stands out', () => {
  const background = backgroundOf([0.61, 0.1, 0.12], 768);
  assert.ok(vectorScore(0.61, background) > 0.5);
  assert.is(vectorScore(0.12, background), 0);
});

test('many relevant passages do not hide each other', () => {
  const background = backgroundOf([...around(0.1), ...new Array(40).fill(0.6)], 768);
  assert.ok(vectorScore(0.6, background) > 0.5);
});

test('the words of the best passage count fully, of worse ones less and less', () => {
  const score = (rank: number): number => 1 - Math.exp(-rank);
  const sides = [3, 2, 1, 0].map((rank) => textSide(score, rank, 3));
  assert.is(sides[0], 1);
  assert.is(sides[3], 0);
  assert.equal(
    sides,
    [...sides].sort((a, b) => b - a),
  );
  assert.is(textSide(score, 0, 0), 0);
});

test('among few passages chance does not reach as far as in a large index', () => {
  const few = backgroundOf([0.2, 0, 0.01], 1024);
  const many = backgroundOf(new Array(200).fill(0), 1024);
  assert.ok(few.chance < 2);
  assert.is(many.chance, 3);
  assert.ok(vectorScore(0.1, few) > 0);
  assert.is(vectorScore(0.09, many), 0);
});

test.run();
