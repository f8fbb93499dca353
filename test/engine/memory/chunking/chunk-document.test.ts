import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  chunkDocument,
  orgBlocks,
  pageBlocks,
  plainBlocks,
  rstBlocks,
} from '../../../../src/engine/memory/chunking/chunk-document.js';
import { textLines } from '../../../../src/engine/memory/sources/text-lines.js';
import { codePoint } from '../../../support/code-point.js';

const test = suite('blocks of documents');

const headings = (blocks: ReturnType<typeof orgBlocks>): readonly unknown[] =>
  blocks.flatMap(({ kind, level, title }) => (kind === 'heading' ? [[level, title]] : []));

const line = fc.oneof(
  { weight: 3, arbitrary: fc.lorem({ maxCount: 8 }) },
  fc.constantFrom(
    ...['', '  ', '* One', '** TODO [#A] Two :tag:', '*bold* text', '#+begin_src js', '#+end_src'],
    ...[
      '#+title: T',
      '- item',
      '  more',
      '1. item',
      '====',
      '----',
      '~~~~~~~~',
      '.. note::',
      '...',
    ],
    ...['    code', '::', '| a | b |', '--- Page 3 ---', '\u2028', '🎉', '#+END_SRC', '=', '\t'],
  ),
  fc.string({ unit: codePoint, maxLength: 40 }).map((text) => text.replaceAll(/[\n\r\0]/gu, ' ')),
);
const texts = fc.array(line, { maxLength: 60 });

for (const [name, split] of Object.entries({ orgBlocks, pageBlocks, plainBlocks, rstBlocks })) {
  test(`${name}: every line that is not blank is in exactly one block, in order`, () => {
    fc.assert(
      fc.property(texts, (all) => {
        const lines = textLines(all.join('\n'));
        let next = 0;
        for (const { start, end } of split(lines)) {
          assert.ok(start >= next && end > start && end <= lines.count);
          for (let at = next; at < start; at++) assert.is(lines.marks[at], 0);
          next = end;
        }
        for (let at = next; at < lines.count; at++) assert.is(lines.marks[at], 0);
      }),
    );
  });
}

test('org headings are found at every level, whatever surrounds them', () => {
  const title = fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/u);
  const heading = fc.record({ level: fc.integer({ min: 1, max: 5 }), title });
  fc.assert(
    fc.property(fc.array(heading, { minLength: 1, maxLength: 10 }), (wanted) => {
      const text = wanted.map(({ level, title }) => `${'*'.repeat(level)} ${title}\ntext`);
      const found = headings(orgBlocks(textLines(text.join('\n'))));
      assert.equal(
        found,
        wanted.map(({ level, title }) => [level + 1, title]),
      );
    }),
  );
});

test('rst levels follow the order in which adornments appear', () => {
  const marks = ['=', '-', '~', '^', '"'];
  const heading = fc.record({
    level: fc.integer({ min: 0, max: 4 }),
    title: fc.stringMatching(/^[a-z]{3,20}$/u),
  });
  fc.assert(
    fc.property(fc.array(heading, { minLength: 1, maxLength: 12 }), (wanted) => {
      const text = wanted.map(({ level, title }) => {
        return `${title}\n${(marks[level] ?? '=').repeat(title.length)}\n\nText.\n`;
      });
      const seen: number[] = [];
      const expected = wanted.map(({ level, title }) => {
        if (!seen.includes(level)) seen.push(level);
        return [seen.indexOf(level) + 1, title];
      });
      assert.equal(headings(rstBlocks(textLines(text.join('\n')))), expected);
    }),
  );
});

test('org headings lose keyword, priority and tags; the title is above all', () => {
  const text = '#+title: Diary\n* TODO [#B] Call Ann :work:phone:\n** Numbers\n';
  assert.equal(headings(orgBlocks(textLines(text))), [
    [1, 'Diary'],
    [2, 'Call Ann'],
    [3, 'Numbers'],
  ]);
});

test('an rst title with a line above it is another level; transitions are not titles', () => {
  const text =
    '=====\nGuide\n=====\n\nIntro.\n\n----\n\n----\n\nParts\n=====\n\nText::\n\n  code\n';
  assert.equal(headings(rstBlocks(textLines(text))), [
    [1, 'Guide'],
    [2, 'Parts'],
  ]);
});

test('code stays whole, and what looks like a title in it is none', () => {
  const codeIn = (blocks: ReturnType<typeof orgBlocks>) =>
    blocks.flatMap(({ kind, start, end }) => (kind === 'code' ? [[start, end]] : []));
  const org = '* One\n#+begin_src text\na\n\n#+title: b\n#+end_src\n* Two\n';
  assert.equal(codeIn(orgBlocks(textLines(org))), [[1, 6]]);
  const rst = 'One\n===\n\n.. code::\n\n   a\n\n   -----\n   b\n   -----\n\nTwo\n===\n';
  const blocks = rstBlocks(textLines(rst));
  assert.equal(codeIn(blocks), [[3, 10]]);
  assert.equal(headings(blocks), [
    [1, 'One'],
    [1, 'Two'],
  ]);
});

test('chunks carry the headings of their format, and the numbers of their lines', () => {
  const chunked = (path: string, text: string) =>
    chunkDocument({ path, kind: 'text' }, textLines(text), { tokens: 20, overlap: 0 }).map(
      ({ startLine, headingPath }) => [startLine, headingPath.join(' > ')],
    );
  const long = 'word '.repeat(14);
  assert.equal(chunked('a.org', `* One\n${long}\n** Two\n${long}\n`), [
    [1, 'One'],
    [3, 'One > Two'],
  ]);
  assert.equal(chunked('a.rst', `One\n===\n\n${long}\n\nTwo\n---\n\n${long}\n`), [
    [1, 'One'],
    [6, 'One > Two'],
  ]);
  assert.equal(chunked('a.txt', `# no heading\n\n${long}\n`), [
    [1, ''],
    [3, ''],
  ]);
});

test.run();
