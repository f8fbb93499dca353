import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pointerKeys, valueAtKeys } from '../../../src/engine/support/json-pointer.js';

const test = suite('JSON pointers');

function at(root: unknown, pointer: string): unknown {
  const keys = pointerKeys(pointer);
  assert.ok(keys !== undefined, pointer);
  return valueAtKeys(root, keys);
}

/** Every place of JSON data below its root, with the pointer that RFC 6901 gives it. */
function* places(value: unknown, pointer = ''): Generator<readonly [string, unknown]> {
  if (pointer !== '') yield [pointer, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, below] of Object.entries(value)) {
    yield* places(below, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

/** Keys that are hard to write, or that are there without being there. */
const key = fc.oneof(
  fc.constantFrom('', '/', '~', '~1', '~01', '~~/', '0', '00', '-1', ' ', '\n', 'constructor'),
  fc.string(),
);
const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(key, tie('value')),
  ),
})).value;

test('every place of any JSON is found by its pointer', () => {
  const property = fc.property(json, (root) => {
    for (const [pointer, value] of places(root)) assert.is(at(root, pointer), value, pointer);
  });
  fc.assert(property, { numRuns: 500 });
});

test('a pointer to a missing value finds nothing', () => {
  const property = fc.property(json, fc.array(key, { minLength: 1 }), (root, keys) => {
    const pointer = keys
      .map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('');
    assert.equal(pointerKeys(pointer), keys);
    const known = new Map(places(root));
    assert.is(at(root, pointer), known.get(pointer));
  });
  fc.assert(property, { numRuns: 500 });
});

test('inherited properties are not found', () => {
  const root = JSON.parse('{"list": ["a", "b"], "text": "abc", "__proto__": {"own": 1}}');
  for (const pointer of [
    '/constructor',
    '/toString',
    '/hasOwnProperty/name',
    '/list/length',
    '/list/-',
    '/list/2',
    '/list/01',
    '/list/1.0',
    '/list/constructor',
    '/text/0',
    '/text/length',
  ]) {
    assert.is(at(root, pointer), undefined, pointer);
  }
  assert.is(at(root, '/list/1'), 'b');
  assert.is(at(root, '/__proto__/own'), 1);
});

test('other text is no pointer', () => {
  for (const text of ['', 'value', 'a/b', '/~', '/a~2', '/a/~x', 'a']) {
    assert.is(pointerKeys(text), undefined, text);
  }
  assert.equal(pointerKeys('/'), ['']);
  assert.equal(pointerKeys('/a~1b/c~0d/~01//'), ['a/b', 'c~d', '~1', '', '']);
});

test.run();
