import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  fillTemplate,
  hasPointers,
  parseTemplate,
  pointerKeys,
  TooLarge,
  templateFault,
  valueAtKeys,
} from '../../../src/engine/support/json-pointer.js';

const test = suite('JSON pointers and templates with them');

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

const LIMITS = { textChars: 20, jsonChars: 30 };

function fill(template: unknown, data: unknown): unknown {
  return fillTemplate(parseTemplate(template), data, LIMITS);
}

const DATA = {
  a: { b: [1, 'two', null, { c: true }] },
  'x/y': 'slash',
  '': 'empty',
  long: 'x'.repeat(40),
};

test('a text that is only a pointer becomes the value, any other includes it as text', () => {
  const cases: readonly (readonly [unknown, unknown])[] = [
    ['{/a/b/0}', 1],
    ['{/a/b/3}', { c: true }],
    ['{/a/b/2}', null],
    ['{/none}', undefined],
    ['n{/a/b/0}', 'n1'],
    ['{/a/b/0}{/a/b/1}', '1two'],
    ['{/a/b/3} {/none}{/a/b/2}!', '{"c":true} !'],
    ['{/x~1y}', 'slash'],
    ['{/}', 'empty'],
    ['{a} {} {', '{a} {} {'],
    [
      { k: '{/a/b/0}', l: ['{/none}', '{/a/b/1}'], m: '{/none}', n: 7 },
      { k: 1, l: ['two'], n: 7 },
    ],
    [
      [1, null, true],
      [1, null, true],
    ],
  ];
  for (const [template, value] of cases) {
    assert.equal(fill(template, DATA), value, JSON.stringify(template));
  }
});

test('texts are cut, and lists and objects that are too large are refused', () => {
  assert.is(fill('{/long}', DATA), `${'x'.repeat(19)}…`);
  assert.is(String(fill('a{/long}{/long}', DATA)).length, 20);
  assert.is(fill('{/t}', { t: `${'x'.repeat(18)}🙂🙂` }), `${'x'.repeat(18)}…`);
  for (const template of ['{/o}', 'text {/o}', { a: '{/o}' }]) {
    assert.throws(
      () => fill(template, { o: ['x'.repeat(40)] }),
      (error: unknown) => error instanceof TooLarge,
    );
  }
});

test('text from the data is never a template', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 15 }), (text) => {
      assert.is(fill('{/v}', { v: text }), text);
      assert.is(
        fill('{/v}', { v: `{/w}${text}`.slice(0, 15), w: 'no' }),
        `{/w}${text}`.slice(0, 15),
      );
    }),
  );
});

test('any text is a template or has a fault, and filling it throws nothing', () => {
  const part = fc.oneof(
    fc.constantFrom('{', '}', '/', '~', '{/a}', '{/a/b}', '~0', '~2'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part), fc.jsonValue({ maxDepth: 3 }), (parts, data) => {
      const text = parts.join('');
      const fault = templateFault(text);
      if (fault === undefined) {
        if (!hasPointers(text)) assert.is(fill(text, data), text);
        return;
      }
      assert.match(fault, /is not a JSON pointer|is not closed/);
    }),
  );
});

test.run();
