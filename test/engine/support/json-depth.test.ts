import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooDeep } from '../../../src/engine/support/json-fault.js';

const test = suite('the depth of JSON');

const lists = (levels: number): unknown =>
  JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
const objects = (levels: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as unknown;

test('64 levels are accepted, wherever they are, and one more is not', () => {
  for (const nested of [lists, objects]) {
    assert.is(isTooDeep(nested(64)), false);
    assert.is(isTooDeep(nested(65)), true);
    assert.is(isTooDeep([1, 'text', nested(63)]), false);
    assert.is(isTooDeep([1, 'text', nested(64)]), true);
  }
  for (const plain of [null, 0, 'text', true, [], {}]) assert.is(isTooDeep(plain), false);
});

test('any depth that JSON.parse accepts can be checked', () => {
  assert.is(isTooDeep(lists(500_000)), true);
});

test.run();
