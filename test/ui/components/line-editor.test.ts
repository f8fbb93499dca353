import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type EditedLine,
  EMPTY_LINE,
  editLine,
  type LineEdit,
  visibleLine,
} from '../../../src/ui/components/line-editor.js';
import { splitGraphemes, textWidth } from '../../../src/ui/fit.js';

const test = suite('editing a line');

/** The text after an edit; a bar marks the cursor. */
function textAfter(type: 'eraseForward' | 'wordLeft' | 'wordRight', text: string): string {
  const cursor = text.indexOf('|');
  const line = editLine({ text: text.replace('|', ''), cursor }, { type });
  return `${line.text.slice(0, line.cursor)}|${line.text.slice(line.cursor)}`;
}

function edit(line: EditedLine, ...edits: readonly LineEdit[]): EditedLine {
  return edits.reduce(editLine, line);
}

function typed(text: string): EditedLine {
  return edit(EMPTY_LINE, { type: 'insert', text });
}

test('moves by words', () => {
  assert.is(textAfter('wordLeft', 'one  two|'), 'one  |two');
  assert.is(textAfter('wordLeft', 'one  |two'), '|one  two');
  assert.is(textAfter('wordLeft', '|one'), '|one');
  assert.is(textAfter('wordRight', 'on|e  two three'), 'one|  two three');
  assert.is(textAfter('wordRight', 'one|  two three'), 'one  two| three');
  assert.is(textAfter('wordRight', 'one|'), 'one|');
});

test('Delete erases the character after the cursor, as people count characters', () => {
  assert.is(textAfter('eraseForward', 'a|👩‍👩‍👧b'), 'a|b');
  assert.is(textAfter('eraseForward', 'ab|'), 'ab|');
});

test('moves and erases whole characters, however many code points they have', () => {
  const line = typed('a👩‍👩‍👧e\u0301');
  assert.is(edit(line, { type: 'erase' }).text, 'a👩‍👩‍👧');
  assert.is(edit(line, { type: 'left' }, { type: 'erase' }).text, 'ae\u0301');
  const inserted = edit(line, { type: 'home' }, { type: 'right' }, { type: 'insert', text: '日' });
  assert.equal(inserted, { text: 'a日👩‍👩‍👧e\u0301', cursor: 2 });
});

test('erases words and both sides of the cursor', () => {
  assert.is(edit(typed('two words '), { type: 'eraseWord' }).text, 'two ');
  const middle = edit(typed('two words'), ...Array<LineEdit>(5).fill({ type: 'left' }));
  assert.equal(edit(middle, { type: 'eraseToStart' }), { text: 'words', cursor: 0 });
  assert.equal(edit(middle, { type: 'eraseToEnd' }), { text: 'two ', cursor: 4 });
});

test('pasted text becomes one safe line of bounded length', () => {
  assert.is(typed('a\r\nb\u001B[2J\u202E').text, 'a b [2J');
  assert.is(typed('x'.repeat(100_000)).text.length, 4096);
});

test('edits that change nothing leave the same line', () => {
  const typedLine = typed('ab');
  for (const type of ['right', 'wordRight', 'end', 'eraseForward', 'eraseToEnd'] as const) {
    assert.is(edit(typedLine, { type }), typedLine, type);
  }
  for (const type of ['left', 'wordLeft', 'home', 'erase', 'eraseWord', 'eraseToStart'] as const) {
    assert.is(edit(EMPTY_LINE, { type }), EMPTY_LINE, type);
  }
  assert.is(edit(typedLine, { type: 'insert', text: '' }), typedLine);
});

test('a line is shown from its start, or what leads up to the cursor', () => {
  const line = typed('日本 words');
  assert.equal(visibleLine(line, 11), { text: '日本 words', cursorColumn: 10 });
  assert.equal(visibleLine(line, 10), { text: '本 words', cursorColumn: 8 });
  assert.equal(visibleLine(edit(line, { type: 'home' }), 6), { text: '日本 w', cursorColumn: 0 });
  const middle = edit(line, { type: 'wordLeft' });
  assert.equal(visibleLine(middle, 6), { text: '日本 w', cursorColumn: 5 });
  assert.equal(visibleLine(middle, 5), { text: '本 wo', cursorColumn: 3 });
});

test('the cursor stays on a boundary and in sight whatever is typed', () => {
  const anEdit: fc.Arbitrary<LineEdit> = fc.oneof(
    fc.constantFrom<LineEdit>(
      { type: 'left' },
      { type: 'right' },
      { type: 'home' },
      { type: 'end' },
      { type: 'erase' },
      { type: 'eraseWord' },
    ),
    fc
      .string({ unit: fc.constantFrom('a', ' ', '日', '👩‍👩‍👧', 'e\u0301') })
      .map((text): LineEdit => ({ type: 'insert', text })),
  );
  fc.assert(
    fc.property(fc.array(anEdit), fc.integer({ min: 3, max: 30 }), (edits, columns) => {
      const line = edit(EMPTY_LINE, ...edits);
      const before = line.text.slice(0, line.cursor);
      const after = line.text.slice(line.cursor);
      assert.is(
        splitGraphemes(before).length + splitGraphemes(after).length,
        splitGraphemes(line.text).length,
      );
      const { text, cursorColumn } = visibleLine(line, columns);
      assert.ok(textWidth(text) <= columns);
      assert.ok(cursorColumn >= 0 && cursorColumn < columns);
    }),
  );
});

test.run();
