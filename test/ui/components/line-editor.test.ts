import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editLine, type LineEdit } from '../../../src/ui/components/line-editor.js';

const test = suite('editing a line by words');

function edited(
  text: string,
  edit: LineEdit['type'] & ('eraseForward' | 'wordLeft' | 'wordRight'),
) {
  const cursor = text.indexOf('|');
  const line = editLine({ text: text.replace('|', ''), cursor }, { type: edit });
  return `${line.text.slice(0, line.cursor)}|${line.text.slice(line.cursor)}`;
}

test('moves by words', () => {
  assert.is(edited('one  two|', 'wordLeft'), 'one  |two');
  assert.is(edited('one  |two', 'wordLeft'), '|one  two');
  assert.is(edited('|one', 'wordLeft'), '|one');
  assert.is(edited('on|e  two three', 'wordRight'), 'one|  two three');
  assert.is(edited('one|  two three', 'wordRight'), 'one  two| three');
  assert.is(edited('one|', 'wordRight'), 'one|');
});

test('Delete erases the character after the cursor, as people count characters', () => {
  assert.is(edited('a|👩‍👩‍👧b', 'eraseForward'), 'a|b');
  assert.is(edited('ab|', 'eraseForward'), 'ab|');
});

test.run();
