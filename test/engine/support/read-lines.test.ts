import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLines } from '../../../src/engine/support/read-lines.js';

const test = suite('lines of a stream');

/** A stream, and what was read from it: the lines, and `-` for each that was too long. */
function reading(mostBytes = 8) {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, {
    mostBytes,
    onLine: (line) => lines.push(line),
    onTooLong: () => lines.push('-'),
  });
  return { stream, lines };
}

test('lines are put together from parts, and the last one needs no line break', async () => {
  const { stream, lines } = reading();
  const bytes = Buffer.from('one\n\nt\u00fcr\nend');
  for (const byte of bytes) stream.write(Buffer.of(byte));
  await nextTurn();
  assert.equal(lines, ['one', 't\u00fcr']);
  stream.end();
  await nextTurn();
  assert.equal(lines, ['one', 't\u00fcr', 'end']);
});

test('lines that are too long are skipped, however they arrive', async () => {
  const { stream, lines } = reading();
  stream.write('12345678\n123456789\n1');
  for (let part = 0; part < 5; part++) stream.write('23');
  stream.end('\nnext\nlast one is long');
  await nextTurn();
  assert.equal(lines, ['12345678', '-', '-', 'next', '-']);
});

test('what came before a stream broke is still a line', async () => {
  const { stream, lines } = reading();
  stream.write('one\nha');
  await nextTurn();
  stream.destroy(new Error('read EIO'));
  await nextTurn();
  assert.equal(lines, ['one', 'ha']);
});

test.run();
