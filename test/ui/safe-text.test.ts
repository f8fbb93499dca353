import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { unescapedLine } from '../../src/engine/support/safe-line.js';
import { indentJson, safeJson, safeLine, safeProse, shownPath } from '../../src/ui/safe-text.js';
import { codePoint } from '../support/code-point.js';

test('escapes control characters', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['a\u001B[2Jb', 'a\\e[2Jb'],
    ['two\nlines\r', 'two\\nlines\\r'],
    ['\u0000\u0007\u007F', '\\x00\\x07\\x7f'],
    ['\u009B31m', '\\x9b31m'],
    ['evil\u202Egpj.md', 'evil\\u{202e}gpj.md'],
    ['\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['a\u2028b', 'a\\u{2028}b'],
    ['half \uD83D', 'half \\u{d83d}'],
    ['tab\there', 'tab\\there'],
  ];
  for (const [text, shown] of cases) assert.is(safeLine(text), shown);
  assert.is(safeProse('\tcode\u001B'), '  code\\e');
});

test('paths below the home folder start with ~, whether or not its name ends with a slash', () => {
  for (const home of ['/home/ada', '/home/ada/']) {
    assert.is(shownPath('/home/ada/notes', home), '~/notes');
    assert.is(shownPath('/home/adam/notes', home), '/home/adam/notes');
  }
  assert.is(shownPath('/notes', '/'), '/notes');
});

test('JSON stays the same value, and its line ends and tabs stay', () => {
  const value = { text: 'a\u001B]52;c;eA==\u0007\u009B31m\u202Eb\u2028\t\n', half: '\uD83D' };
  const json = safeJson(JSON.stringify(value, null, 2));
  assert.equal(JSON.parse(json), value);
  assert.match(json, /\\u009b31m\\u202eb\\u2028/);
  assert.is(safeJson('\u001B[2J\tx\n'), '\\u001b[2J\tx\n');
});

test('leaves right-to-left text, accents, joiners and emoji alone', () => {
  for (const text of [
    'שלום עולם.md',
    'مرحبا',
    'e\u0301té',
    '👩‍👩‍👧',
    '日本語 ノート',
    'a\u200Fb',
  ]) {
    assert.is(safeLine(text), text);
    assert.is(safeProse(text), text);
  }
});

test('a name that is shown with escapes can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      // A backslash of the name is not escaped.
      const name = text.replaceAll('\\', '');
      assert.is(unescapedLine(safeLine(name)), name);
    }),
  );
});

test('no text lets a control character or an override through', () => {
  const acted = /[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      assert.not.match(safeLine(text), acted);
      assert.not.match(safeProse(text), acted);
    }),
  );
});

test('JSON is indented as JSON.stringify does it, whatever its blanks are', () => {
  const jsonList = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(jsonList, (value) => {
      const indented = JSON.stringify(JSON.parse(JSON.stringify(value)), undefined, 2);
      for (const space of [0, 1, '\t']) {
        assert.is(indentJson(JSON.stringify(JSON.parse(indented), undefined, space)), indented);
      }
    }),
  );
});

test('indented JSON has the numbers and fields that were sent, in their order', () => {
  assert.is(
    indentJson(String.raw`{"id":820982911946154508,"id":1.0,"2":[],"1":"\/\u00e9"}`),
    `{
  "id": 820982911946154508,
  "id": 1.0,
  "2": [],
  "1": "/é"
}`,
  );
  for (const other of ['', '"text"', '[1', '{"a"}', '[1] x']) assert.is(indentJson(other), other);
});

test('JSON that would be indentation for the most part is not indented', () => {
  for (const depth of [5000, 30_000]) {
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    assert.is(indentJson(nested), nested);
  }
});

test.run();
