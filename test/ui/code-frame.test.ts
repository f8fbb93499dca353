import fc from 'fast-check';
import stringWidth from 'string-width';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { frameSource, renderCodeFrame } from '../../src/ui/code-frame.js';

const test = suite('code frames');

const TEXT = ['one', 'two', 'three', 'four', 'five', 'six'];

test('two lines before and after are shown, and a caret below the position', () => {
  assert.is(
    renderCodeFrame(TEXT, { line: 3, column: 3 }),
    ['  1 | one', '  2 | two', '> 3 | three', '    |   ^', '  4 | four', '  5 | five'].join('\n'),
  );
});

test('lines are counted as editors do', () => {
  assert.equal(frameSource('a\r\nb\rc\n\nd'), ['a', 'b', 'c', '', 'd']);
});

test('at the edges there are fewer lines', () => {
  assert.is(
    renderCodeFrame(TEXT, { line: 1, column: 1 }, { context: 1 }),
    '> 1 | one\n    | ^\n  2 | two',
  );
  assert.is(
    renderCodeFrame(TEXT, { line: 6, column: 4 }, { context: 1 }),
    '  5 | five\n> 6 | six\n    |    ^',
  );
});

test('line numbers are aligned', () => {
  const lines = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`);
  assert.match(
    renderCodeFrame(lines, { line: 10, column: 1 }),
    '   9 | line 9\n> 10 | line 10\n     | ^',
  );
});

test('tabs and wide characters do not misplace the caret', () => {
  assert.is(renderCodeFrame(['\t"a": 1'], { line: 1, column: 2 }), '> 1 |   "a": 1\n    |   ^');
  assert.is(renderCodeFrame(['日本 x'], { line: 1, column: 4 }), '> 1 | 日本 x\n    |      ^');
  assert.is(renderCodeFrame(['👩‍👩‍👧 x'], { line: 1, column: 10 }), '> 1 | 👩‍👩‍👧 x\n    |    ^');
});

test('a long line is cut around the position', () => {
  const line = `${'a'.repeat(500)}X${'b'.repeat(500)}`;
  const [shown = '', caret = ''] = renderCodeFrame(
    [line],
    { line: 1, column: 501 },
    { width: 40 },
  ).split('\n');
  assert.is(shown[caret.indexOf('^')], 'X');
  assert.match(shown, /^> 1 \| …a+Xb+…$/);
  assert.ok(stringWidth(shown) <= 46);
});

test('cutting a long line leaves every character whole', () => {
  for (const column of [201, 599, 601]) {
    // A letter of two UTF-16 units that is one column wide.
    const frame = renderCodeFrame(['𝐀'.repeat(300)], { line: 1, column }, { width: 41 });
    assert.match(frame.split('\n')[0] ?? '', /^> 1 \| …𝐀+…?$/u);
  }
});

test('no control character gets through', () => {
  const frame = renderCodeFrame(['a\u001B[31mb\u0007\u202Ec'], { line: 1, column: 1 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: looking for control characters
  assert.not.match(frame.replaceAll('\n', ''), /[\u0000-\u001F\u007F-\u009F\u202E]/);
});

test('a text of megabytes in one line is framed', () => {
  const frame = renderCodeFrame(['x'.repeat(4_000_000)], { line: 1, column: 2_000_000 });
  assert.ok(frame.length < 400);
});

test('no text or position makes it throw, and the caret stays below the line', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('\n', '\r', '\t', '日', '😀', 'a'), fc.string()),
  });
  const place = fc.record({ line: fc.integer(), column: fc.integer() });
  const options = fc.record({ width: fc.integer({ min: 1, max: 120 }), context: fc.nat(5) });
  fc.assert(
    fc.property(text, place, options, (source, at, frame) => {
      const lines = renderCodeFrame(frameSource(source), at, frame).split('\n');
      const target = lines.findIndex((line) => line.startsWith('>'));
      const caret = lines[target + 1] ?? '';
      assert.ok(target >= 0 && caret.endsWith('^'));
      const prefix = caret.indexOf('|') + 2;
      assert.ok(caret.length <= prefix + Math.max(10, frame.width) + 1);
      assert.ok(lines.every((line) => stringWidth(line) <= prefix + Math.max(10, frame.width)));
    }),
  );
});

test.run();
