import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { atMost, nonEmpty } from '../../../src/engine/support/lengths.js';

const test = suite('lengths of texts and lists');

const schema = z.union([z.string(), z.array(z.string())]).check(nonEmpty(), atMost(3));

test('texts and lists have bounds', () => {
  for (const value of ['a', 'abc', ['a'], ['a', 'b', 'c']])
    assert.ok(schema.safeParse(value).success);
  for (const value of ['', 'abcd', [], ['a', 'b', 'c', 'd']]) {
    assert.not(schema.safeParse(value).success);
  }
});

test('anything else has only the wrong type, whatever its length is', () => {
  const text = z.string().check(nonEmpty(), atMost(3));
  const odd = Object.assign(Object.create(null), { length: Object.create(null) });
  for (const value of [odd, { length: 0 }, { length: 9 }, { length: { valueOf: 1 } }, 5, null]) {
    const { error } = text.safeParse(value);
    assert.equal(
      error?.issues.map(({ code }) => code),
      ['invalid_type'],
    );
  }
});

test.run();
