import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  normalise,
  withoutResult,
  wrongCount,
} from '../../../src/engine/providers/read-vectors.js';

const test = suite('reading vectors');

test('a wrong number is said in singular and plural', () => {
  assert.match(wrongCount(0, 1).message, 'it has 0 vectors for 1 input');
  assert.not.match(wrongCount(0, 1).message, 'inputs');
  assert.match(wrongCount(1, 1200).message, 'it has 1 vector for 1,200 inputs');
});

test('an error with status 200 is passed on', () => {
  for (const body of [
    { error: { message: 'no such model', code: 503 } },
    { code: 20012, message: 'no such model', data: null },
  ]) {
    assert.is(
      withoutResult(body, 'no "data"').message,
      'the answer is broken: it reports "no such model"',
    );
  }
  assert.is(withoutResult({}, 'no "data"').message, 'the answer is broken: it has no "data"');
});

test('an answer that is nested too deeply to be walked has no message', () => {
  const levels = 200_000;
  for (const json of [
    '['.repeat(levels) + ']'.repeat(levels),
    `${'{"error":'.repeat(levels)}1${'}'.repeat(levels)}`,
  ]) {
    const { message } = withoutResult(JSON.parse(json), 'no "data"');
    assert.is(message, 'the answer is broken: it has no "data"');
  }
});

test('a vector with more dimensions than an index can have is refused', () => {
  assert.is(normalise(new Float32Array(65_536).fill(1)).length, 65_536);
  assert.throws(
    () => normalise(new Float32Array(65_537).fill(1)),
    /the answer is broken: a vector has 65537 dimensions/,
  );
});

test.run();
