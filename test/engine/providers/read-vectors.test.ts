import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wrongCount } from '../../../src/engine/providers/read-vectors.js';

const test = suite('reading vectors');

test('a wrong number is said in singular and plural', () => {
  assert.match(wrongCount(0, 1).message, 'it has 0 vectors for 1 input');
  assert.not.match(wrongCount(0, 1).message, 'inputs');
  assert.match(wrongCount(1, 1200).message, 'it has 1 vector for 1,200 inputs');
});

test.run();
