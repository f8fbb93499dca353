import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteLinks, textLines } from '../../../../src/engine/memory/sources/index.js';

const test = suite('the links of a note');

function linksIn(text: string): readonly string[] {
  return (noteLinks(textLines(text)) ?? []).map(({ kind, line, target, heading }) => {
    return `${line} ${kind} ${target}${heading === undefined ? '' : ` # ${heading}`}`;
  });
}

test('wikilinks have a target, a heading and a label', () => {
  assert.equal(linksIn('See [[House]], [[House|the house]] and\n[[a/House#Front door|door]].'), [
    '1 wiki House',
    '1 wiki House',
    '2 wiki a/House # Front door',
  ]);
  assert.equal(linksIn('| [[House\\|label]] | ![[Plan]] |'), ['1 wiki House', '1 wiki Plan']);
});

test('Markdown links are read in all their forms', () => {
  const text = [
    '[a](a.md "title") and [b](<b c.md>) and ![c](d%20e.md#f%20g)',
    '[d](x(1).md), [[e](nested.md)]',
    '',
    '[id]: ../other.md',
  ].join('\n');
  assert.equal(linksIn(text), [
    '1 markdown a.md',
    '1 markdown b c.md',
    '1 markdown d e.md # f g',
    '2 markdown x(1).md',
    '2 markdown nested.md',
    '4 markdown ../other.md',
  ]);
});

test('addresses, anchors, folders and broken brackets are not links', () => {
  for (const text of [
    '[a](https://example.com/a.md) [b](mailto:ada@example.com) [c](//example.com/x)',
    '[a](#heading) [[#Heading]] [b](folder/) [c]()',
    '[[ ]] [[]] [[never closed',
    '[a](never closed because it goes on',
    '\\[\\[House]]',
  ]) {
    assert.equal(linksIn(text), [], text);
  }
});

test('code has no links', () => {
  const text = [
    '`[[A]]` ``[b](b.md) ` `` and [[C]]',
    '```md',
    '[[D]]',
    '~~~',
    '```',
    '[[E]]',
    '    ~~~~',
    '[[F]]',
    '~~~~',
    'an open ` and [[G]]',
  ].join('\n');
  assert.equal(linksIn(text), ['1 wiki C', '6 wiki E', '8 wiki F']);
  assert.equal(linksIn('```npm ci``` installs it.\n[[A]]'), ['2 wiki A']);
});

test('a target that is not percent-encoded is kept as it is', () => {
  assert.equal(linksIn('[a](100%.md)'), ['1 markdown 100%.md']);
});

const PIECE = fc.constantFrom(
  ...[
    '[[',
    ']]',
    '](',
    ')',
    '[',
    ']',
    '|',
    '#',
    '`',
    '``',
    '```',
    '~~~',
    '\\',
    '\n',
    ' ',
    '<',
    '>',
  ],
  ...['a', 'b.md', '%20', '%', 'https:', '[x]: ', '\t', 'ä', '\u0000'],
);

test('any text gives targets that are in it, on the lines that have them', () => {
  fc.assert(
    fc.property(fc.array(PIECE, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('');
      const rows = text.split('\n');
      for (const { line, target, kind } of noteLinks(textLines(text)) ?? []) {
        const row = rows[line - 1] ?? '';
        assert.not.equal(target, '');
        if (kind === 'wiki') assert.ok(row.includes(target), JSON.stringify([text, target]));
        else assert.ok(!/^[a-z]+:/iu.test(target), JSON.stringify([text, target]));
      }
    }),
    { numRuns: 2000 },
  );
});

test('hostile lines take no longer than their length', () => {
  const size = 200_000;
  const pieces = ['[[', '](', '[a](', '`', '` `` ', '[[a|', '\\[', '[x](<', '((('];
  const runs = Array.from({ length: 600 }, (_, length) => '`'.repeat(length + 1)).join(' ');
  for (const text of [...pieces.map((piece) => piece.repeat(size / piece.length)), runs]) {
    const started = process.cpuUsage();
    noteLinks(textLines(`[[${text}`));
    assert.ok(process.cpuUsage(started).user < 2_000_000, text.slice(0, 20));
  }
});

test.run();
