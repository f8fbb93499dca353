import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  columnsOf,
  groupBy,
  groupByEach,
  pushAll,
  uniqueBy,
} from '../../../src/engine/support/lists.js';

const test = suite('lists');

test('any number of items can be added to a list', () => {
  const list = [0];
  pushAll(list, new Array<number>(300_000).fill(1));
  assert.equal([list.length, list[0], list.at(-1)], [300_001, 0, 1]);
});

test('of items with the same key, the first is kept', () => {
  const items = ['one', 'two', 'three', 'six', 'eleven'];
  assert.equal(
    uniqueBy(items, ({ length }) => length),
    ['one', 'three', 'eleven'],
  );
});

test('items are grouped by one key or by several, in order', () => {
  const groups = groupBy(['b1', 'a1', 'b2'], ([letter]) => letter);
  assert.equal(
    [...groups],
    [
      ['b', ['b1', 'b2']],
      ['a', ['a1']],
    ],
  );
  const each = groupByEach(['xy', 'y'], (text) => text);
  assert.equal(
    [...each],
    [
      ['x', ['xy']],
      ['y', ['xy', 'y']],
    ],
  );
});

test('fields of items become columns', () => {
  const items = [
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ];
  assert.equal(columnsOf(items, 'name', 'id'), [
    ['a', 'b'],
    [1, 2],
  ]);
});

test.run();
