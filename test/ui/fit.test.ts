import fc from 'fast-check';
import stringWidth from 'string-width';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  fitColumns,
  fitEnd,
  fitMiddle,
  padEnd,
  padStart,
  splitGraphemes,
  spread,
  textWidth,
  wrapSafe,
  wrapSpans,
} from '../../src/ui/fit.js';

const text = fc.string({ unit: fc.constantFrom('a', 'b/', ' ', '日', 'é', '👩‍👩‍👧', 'e\u0301') });

test('cuts at the end and in the middle, by columns and not by characters', () => {
  assert.is(fitEnd('日本語', 6), '日本語');
  assert.is(fitEnd('日本語', 5), '日本…');
  assert.is(fitEnd('日本語', 4), '日…');
  assert.is(fitEnd('abc', 0), '');
  assert.is(fitMiddle('memory/2026/notes.md', 20), 'memory/2026/notes.md');
  assert.is(fitMiddle('memory/2026/notes.md', 13), 'memo…notes.md');
  assert.is(fitMiddle('abc', 1), '…');
});

test('fitted text never exceeds the requested width', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 40 }), (value, columns) => {
      assert.ok(textWidth(fitEnd(value, columns)) <= columns);
      assert.ok(textWidth(fitMiddle(value, columns)) <= columns);
    }),
  );
});

test('wrapping loses only the blanks at breaks, and every piece fits', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 40 }), (value, columns) => {
      const spans = wrapSpans(value, columns);
      let at = 0;
      for (const { start, end } of spans) {
        assert.ok(value.slice(at, start) === '' || value.slice(at, start) === ' ');
        assert.ok(textWidth(value.slice(start, end)) <= columns);
        at = end;
      }
      assert.is(value.slice(at).trim(), '');
    }),
  );
});

function range(from: number, end: number): readonly string[] {
  return Array.from({ length: end - from }, (_, at) => String.fromCharCode(from + at));
}

test('the shortcut for plain text finds the same width as the tables', () => {
  const frames = [...'⏎✓✗❯', ...range(0x2500, 0x25fd), ...range(0x2800, 0x2900)];
  for (const character of [...range(0x20, 0x2200), ...frames]) {
    const isAlone = splitGraphemes(character).length === 1 && textWidth(character) === 1;
    if (isAlone && !/\p{C}/u.test(character))
      assert.is(stringWidth(character), 1, character.codePointAt(0)?.toString(16));
  }
  assert.equal(splitGraphemes('\u001B[1m─⣿'), ['\u001B', '[', '1', 'm', '─', '⣿']);
  assert.equal([textWidth('e\u0301 “a” – b'), splitGraphemes('e\u0301a')], [9, ['e\u0301', 'a']]);
});

test('a text split in parts has the same characters as in one piece', () => {
  const unit = fc.constantFrom(
    ...'aé字😀\u0301\u200D\uFE0F🇩각\r\n\uD83D\uDE00',
    '👩‍👩‍👧',
    '👍🏽',
    'क्ष',
  );
  fc.assert(
    fc.property(fc.array(unit, { minLength: 400, maxLength: 1500 }), (units) => {
      const text = `字${units.join('')}`;
      const whole = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
      assert.equal(splitGraphemes(text), whole);
    }),
    { numRuns: 50 },
  );
});

test('breaks prose at blanks and keeps its indentation', () => {
  const lines = (value: string, columns: number): readonly string[] =>
    wrapSpans(value, columns).map(({ start, end }) => value.slice(start, end));
  assert.equal(lines('the nightly backup runs', 12), ['the nightly', 'backup runs']);
  assert.equal(lines('  - item one', 9), ['  - item', 'one']);
  assert.equal(lines('日本語日本語', 6), ['日本語', '日本語']);
  assert.equal(lines('- 日本語です。', 10), ['- 日本語で', 'す。']);
  assert.equal(lines('設定ファイルはmemorySearch', 20), ['設定ファイル', 'はmemorySearch']);
  assert.equal(lines('- 오늘 한국어', 11), ['- 오늘', '한국어']);
  assert.equal(lines('', 10), ['']);
});

test('an untrusted text is made safe before it is wrapped, and not wrapped for a pipe', () => {
  assert.equal(wrapSafe('one\ntwo three', 12, 2), ['one\\ntwo', 'three']);
  assert.equal(wrapSafe('one\ntwo three', undefined, 2), ['one\\ntwo three']);
});

test('columns are dropped in their order, with their gaps, until the last one has room', () => {
  const widths = (columns: number, ...dropOrders: readonly (number | undefined)[]) =>
    fitColumns([10, 8, 30], dropOrders, columns, 24);
  assert.equal(widths(48, undefined, 1), [10, 8, 26]);
  assert.equal(widths(46, undefined, 1), [10, 8, 24]);
  assert.equal(widths(45, undefined, 1), [10, 0, 33]);
  assert.equal(widths(30, 2, 1), [0, 0, 30]);
  assert.equal(widths(30, 1, 2), [0, 0, 30]);
  assert.equal(widths(40, 1, 2), [0, 8, 30]);
  assert.equal(widths(15), [10, 8, 0]);
});

test('pads and spreads by columns; without room, the right end is dropped', () => {
  assert.is(padEnd('日', 4), '日  ');
  assert.is(padStart('日', 4), '  日');
  assert.is(spread('left', 'right', 12), 'left   right');
  assert.is(spread('left', 'right', 11), 'left  right');
  assert.is(spread('left', 'right', 10), 'left');
});

test.run();
