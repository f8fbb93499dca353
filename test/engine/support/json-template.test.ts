import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  fillTemplate,
  hasPointers,
  parseTemplate,
  TooLarge,
  templateFault,
} from '../../../src/engine/support/json-pointer.js';

const test = suite('templates with JSON pointers');

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
