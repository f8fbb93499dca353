import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CodeFences, linesOutsideCode } from '../../../src/engine/support/code-fences.js';

const test = suite('fenced code');

const outside = (...lines: readonly string[]): readonly string[] =>
  linesOutsideCode(lines.join('\n'));

test('code ends at a fence of the same character that is at least as long', () => {
  assert.equal(outside('a', '````js', '```', '~~~~', '````x', '    ````', '`````  ', 'b'), [
    'a',
    'b',
  ]);
  assert.equal(outside('~~~ a`b', '```', '~~', '  ~~~', 'b'), ['b']);
});

test('backticks with more of them on the line are inline code', () => {
  assert.equal(outside('```npm ci``` installs it.', 'b'), ['```npm ci``` installs it.', 'b']);
  assert.equal(outside('```` ` ', 'b'), ['```` ` ', 'b']);
});

test('in a list item, code may be indented, and ends with the item', () => {
  const item = ['1. x', '', '     ```', '   ```', '', '     ```'];
  assert.equal(outside(...item, 'b'), ['1. x', '', '', 'b']);
  assert.equal(outside('- x', '\t```', '\tcode', '', '\tcode', '# b'), ['- x', '# b']);
  assert.equal(outside('  ```', 'code', '```', 'b'), ['b']);
});

test('unclosed code extends to the end', () => {
  const fences = new CodeFences();
  assert.equal(
    ['a', '  ~~~~js', 'code'].map((line) => fences.isCode(line)),
    [false, true, true],
  );
  assert.is(fences.closing, '  ~~~~');
});

test('a line of 28 MB after a fence is read', () => {
  const fences = new CodeFences();
  assert.is(fences.isCode(`\`\`\`${'漢'.repeat(9_500_000)}`), true);
});

test.run();
