import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { textWidth } from '../../../src/ui/fit.js';
import { markdownSpans, matchedLine, passageRows } from '../../../src/ui/screens/search/passage.js';
import { createStyle } from '../../../src/ui/style.js';
import { aResult } from './search-builders.js';

const test = suite('the rows of a passage');

const PLAIN = createStyle(false);
const ITEM = { id: '1', text: '', result: aResult(0) };

function rowsOf(
  text: string,
  options: Partial<Parameters<typeof passageRows>[2]> = {},
  startLine = 1,
) {
  const defaults = { columns: 40, height: 10, style: PLAIN, words: [], currentMatch: undefined };
  return passageRows({ startLine, text }, ITEM, { ...defaults, ...options });
}

test('lines have their numbers, and wrapped ones have it once', () => {
  const { rows } = rowsOf('one two three four', { columns: 17 }, 9);
  assert.equal(rows, ['    9  one two', '       three four']);
});

test('a line that is shown only in part ends with an ellipsis', () => {
  const { rows } = rowsOf(`${'x'.repeat(20_001)}\nend`);
  assert.is(rows.at(-2)?.at(-1), '…');
  assert.not.ok(rowsOf('x'.repeat(20_000)).rows.at(-1)?.includes('…'));
});

test('the passage is first, unless its best lines would not be visible', () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join('\n');
  // Lines 3 to 6, of which 5 is the best.
  assert.is(rowsOf(lines, { height: 20 }).first, 2);
  assert.is(rowsOf(lines, { height: 3 }).first, 4);
});

test('the best line of a passage that is shown whole is visible', () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
  const whole = {
    startLine: 1,
    endLine: 30,
    snippet: lines.join('\n'),
    snippetLine: 1,
    bestLine: 19,
  };
  const item = { ...ITEM, result: { ...ITEM.result, ...whole } };
  const options = { columns: 40, height: 10, style: PLAIN, words: [], currentMatch: undefined };
  const { first, rows } = passageRows({ startLine: 1, text: lines.join('\n') }, item, options);
  assert.match(rows.slice(first, first + 10).join('\n'), /\bline 20\b/);
});

test('the matched line is that of the first match, or the first one where only the meaning matched', () => {
  const snippet = 'one\ntwo\nthree';
  const result = { ...ITEM.result, snippet, snippetLine: 7, bestLine: undefined };
  assert.is(matchedLine({ ...result, highlights: [{ start: 8, end: 13 }] }), 9);
  assert.is(matchedLine({ ...result, highlights: [] }), 7);
  assert.is(matchedLine({ ...result, highlights: [], bestLine: 1 }), 8);
});

test('matches are whole words in any case, and have their rows', () => {
  const { matches } = rowsOf('Backup of a backup\nbackups\n日本語', { words: ['backup', '日本'] });
  assert.equal(matches, [0, 0, 2]);
  assert.equal(rowsOf('a.b axb', { words: ['a.b'] }).matches, [0]);
  // As somebody types it.
  assert.equal(rowsOf('the on-call phone', { words: ['on-call', 'on-', '-'] }).matches, [0]);
});

test('lines around the passage are dim, except for their matches', () => {
  const style = createStyle(true);
  const lines = ['a backup', 'two', 'three', 'four', 'five', 'six', 'seven'].join('\n');
  const { rows } = rowsOf(lines, { style, words: ['backup'] });
  const textOf = (row = '') => row.slice(`${style.dim('    1')}  `.length);
  assert.is(textOf(rows[0]), `${style.dim('a ')}${style.match('backup')}`);
  assert.is(textOf(rows[1]), style.dim('two'));
  // Lines 3 to 6 are the passage.
  assert.equal(rows.slice(2, 6).map(textOf), ['three', 'four', 'five', 'six']);
  assert.is(textOf(rows[6]), style.dim('seven'));
});

test('Markdown is painted by what it is', () => {
  const style = createStyle(true);
  const [heading, text] = rowsOf('# Backups\nsee `restic` and **this**', { style }, 3).rows;
  assert.match(heading ?? '', style.bold('# Backups'));
  assert.match(text ?? '', style.ok('`restic`'));
  assert.match(text ?? '', style.bold('**this**'));
});

test('a match can be inside a link, and the current one is highlighted differently', () => {
  const style = createStyle(true);
  const one = rowsOf('see [the backup](x.md) backup', {
    style,
    words: ['backup'],
    currentMatch: 1,
  });
  const two = rowsOf('see [the backup](x.md) backup', {
    style,
    words: ['backup'],
    currentMatch: 0,
  });
  assert.is(stripVTControlCharacters(one.rows.join()), '    1  see [the backup](x.md) backup');
  assert.not.equal(one.rows, two.rows);
});

test('control characters are shown, and nothing is wider than its column, for any text', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(fc.constantFrom('\u001B[2J', ' ', '`', '日', 'a\u0301'), fc.string()),
      }),
      fc.integer({ min: 12, max: 60 }),
      (text, columns) => {
        const { rows, matches } = rowsOf(text, { columns, words: ['a', '日'] });
        for (const row of rows) {
          assert.ok(textWidth(row) <= columns, row);
          assert.not.match(row, /\p{Cc}/u);
        }
        for (const row of matches) assert.ok(row < rows.length);
      },
    ),
  );
});

test.run();

const spansTest = suite('parts of Markdown');

function partsOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return markdownSpans(lines).flatMap((spans, at) =>
    spans.map(({ kind, start, end }) => `${kind} ${lines[at]?.slice(start, end)}`),
  );
}

spansTest('headings, code, links and bold text have spans', () => {
  assert.equal(partsOf('## Backups'), ['heading ## Backups']);
  assert.equal(partsOf('run `svc index` on **Monday**, see [docs](a/b.md) or [[Note|it]]'), [
    'code `svc index`',
    'strong **Monday**',
    'link [docs](a/b.md)',
    'link [[Note|it]]',
  ]);
  assert.equal(partsOf('at https://example.com/a?b=c.'), ['link https://example.com/a?b=c.']);
});

spansTest('a fence makes everything code until it ends', () => {
  assert.equal(partsOf('```sh\n# no heading\n```\n# heading'), [
    'code ```sh',
    'code # no heading',
    'code ```',
    'heading # heading',
  ]);
  assert.equal(partsOf('````md\n```\n````\n# heading'), [
    'code ````md',
    'code ```',
    'code ````',
    'heading # heading',
  ]);
});

spansTest('plain text has no spans', () => {
  for (const text of ['#tag', '2 * 3 * 4', 'snake_case_name', '[ ] a task', '`', '']) {
    assert.equal(partsOf(text), [], text);
  }
});

spansTest('spans are in order and inside their line, for any text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'#`*_[]() a~:/h') })), (lines) => {
      for (const [at, spans] of markdownSpans(lines).entries()) {
        let last = 0;
        for (const { start, end } of spans) {
          assert.ok(start >= last && end >= start && end <= (lines[at]?.length ?? 0));
          last = end;
        }
      }
    }),
  );
});

spansTest.run();
