import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pushAll } from '../../../src/engine/support/lists.js';

const test = suite('lists');

test('any number of items can be added to a list', () => {
  const list = [0];
  pushAll(list, new Array<number>(300_000).fill(1));
  assert.equal([list.length, list[0], list.at(-1)], [300_001, 0, 1]);
});

test.run();
