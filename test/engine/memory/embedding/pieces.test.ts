import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { piecesOf } from '../../../../src/engine/memory/embedding/passages.js';

const test = suite('pieces of a passage');

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

test('a short passage is one piece', () => {
  assert.equal(piecesOf('# Backup\n\nIt runs at three.\n'), ['# Backup\n\nIt runs at three.']);
});

test('lines of a conversation are divided about equally, and none is cut', () => {
  const lines = Array.from({ length: 16 }, (_, n) => `**Ann:** remark ${n} ${'about '.repeat(14)}`);
  const pieces = piecesOf(lines.join('\n'));
  assert.is(pieces.length, 4);
  assert.ok(pieces.every((piece) => piece.split('\n').length === 4));
  assert.ok(pieces.every((piece) => piece.startsWith('**Ann:**')));
});

test('a paragraph on one line is divided between sentences', () => {
  const paragraph = 'The ferry leaves at nine and arrives at noon. '.repeat(20).trim();
  const pieces = piecesOf(paragraph);
  assert.is(pieces.length, 4);
  assert.ok(pieces.every((piece) => piece.startsWith('The ferry') && piece.endsWith('noon.')));
});

test('any text has one to four pieces with all its words, none blank unless the text is', () => {
  const line = fc.string({ maxLength: 400 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const text = lines.join('\n');
      const pieces = piecesOf(text);
      assert.ok(pieces.length >= 1 && pieces.length <= 4);
      assert.ok(text.trim() === '' || pieces.every((piece) => piece.trim() !== ''));
      assert.equal(words(pieces.join(' ')).join(''), words(text).join(''));
    }),
  );
});

test.run();
