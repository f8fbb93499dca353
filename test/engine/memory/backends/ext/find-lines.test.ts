import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findLines } from '../../../../../src/engine/memory/backends/ext/find-file.js';

const test = suite('finding the lines of a snippet');

const line = fc.constantFrom(
  'alpha',
  'beta',
  'gamma delta',
  '',
  '  ',
  '# head',
  'a longer line of it',
);
const lines = fc.array(line, { maxLength: 12 });
const near = fc.option(fc.integer({ min: -3, max: 20 }), { nil: undefined });

/** Whether a line is what a snippet shows of it, which may be only its beginning. */
const isShownAs = (line: string, shown: string): boolean =>
  line.trimEnd() === shown.trimEnd() ||
  line.startsWith(shown.trimEnd().replace(/(\.\.\.|…)$/u, ''));

test('found lines are in the file, at their position', () => {
  fc.assert(
    fc.property(lines, lines, near, (file, shown, hint) => {
      const found = findLines(file, shown, hint);
      if (found === undefined) return;
      const shownLines = shown.filter((text) => text.trim() !== '');
      assert.ok(found.startLine >= 1 && found.startLine <= found.endLine);
      assert.ok(found.endLine <= Math.max(1, file.length));
      const foundLines = file
        .slice(found.startLine - 1, found.endLine)
        .filter((text) => text.trim() !== '');
      assert.ok(
        shownLines.length === 0 ||
          foundLines.every((text) => shownLines.some((one) => isShownAs(text, one))),
      );
    }),
  );
});

test('lines of an unchanged file are found at their stated position', () => {
  fc.assert(
    fc.property(lines, fc.nat(12), fc.nat(4), (file, start, more) => {
      const shown = file.slice(start, start + more + 1);
      if (!shown.some((text) => text.trim() !== '')) return;
      const found = findLines(file, shown, start + 1);
      assert.ok(found !== undefined);
      const first = shown.findIndex((text) => text.trim() !== '');
      assert.is(found.startLine, start + 1 + first);
    }),
  );
});

test('lines that moved are found at the nearest place', () => {
  const file = ['x', 'tea', 'y', 'y', 'y', 'tea', 'z'];
  assert.equal(findLines(file, ['tea'], 5), { startLine: 6, endLine: 6 });
  assert.equal(findLines(file, ['tea'], 1), { startLine: 2, endLine: 2 });
  assert.equal(findLines(['x', 'y', 'tea', 'x', 'y', 'tea'], ['tea'], 4), {
    startLine: 3,
    endLine: 3,
  });
  assert.equal(findLines(['new', 'new', ...file], ['tea', 'z'], 6), { startLine: 8, endLine: 9 });
});

test('for a rewritten passage, the longest remaining line decides', () => {
  const file = ['one', 'the long line stays', 'other'];
  assert.equal(findLines(file, ['gone', 'the long line stays', 'gone too'], 1), {
    startLine: 2,
    endLine: 2,
  });
  assert.is(findLines(file, ['nothing', 'of this'], 1), undefined);
});

test('a truncated last line matches the line that starts with it', () => {
  assert.equal(findLines(['a', 'a long line that goes on'], ['a', 'a long li...'], 1), {
    startLine: 1,
    endLine: 2,
  });
  assert.is(findLines(['a', 'b'], ['...'], 1), undefined);
});

test('without words the stated line is returned, clamped to the file', () => {
  assert.equal(findLines(['a', 'b'], [''], 9), { startLine: 2, endLine: 2 });
  assert.is(findLines(['a', 'b'], [], undefined), undefined);
});

test.run();
