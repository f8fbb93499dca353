import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diffLines } from '../../../src/engine/support/text-diff.js';

const test = suite('diff of texts');

function shown(before: string, after: string): readonly string[] {
  const signs = { added: '+', context: ' ', removed: '-' };
  return diffLines(before, after).map(({ kind, text }) => `${signs[kind]}${text}`);
}

test('changes in several places are shown one by one, with context', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].join('\n');
  const after = ['a', 'B', 'c', 'd', 'e', 'f', 'g', 'new', 'h', 'i'].join('\n');
  assert.equal(shown(before, after), [
    ...[' a', '-b', '+B', ' c', ' d', ' …', ' f', ' g', '+new', ' h', ' i'],
  ]);
  assert.equal(shown('a\nb\nc\nd\ne\n', 'b\nc\nd\ne\nf\n'), [
    ...['-a', ' b', ' c', ' d', ' e', '+f'],
  ]);
});

test('equal texts have no diff, and an empty one is added as a whole', () => {
  assert.equal(shown('a\n', 'a\n'), []);
  assert.equal(shown('', 'a\nb\n'), ['+a', '+b']);
  assert.equal(shown('a\r\nb\r\n', 'a\nc\n'), [' a', '-b', '+c']);
});

test('texts too long to compare line by line are still a diff', () => {
  const lines = (prefix: string) => Array.from({ length: 2_100 }, (_, at) => `${prefix}${at}`);
  const diff = diffLines(lines('a').join('\n'), lines('b').join('\n'));
  assert.is(diff.length, 4_200);
});

test.run();
