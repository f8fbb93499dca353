import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLinkMap } from '../../../../src/engine/memory/inspect/link-map.js';
import { noteLinks, textLines } from '../../../../src/engine/memory/sources/index.js';

const test = suite('the links between notes');

function mapOf(files: Readonly<Record<string, string>>) {
  const documents = Object.keys(files).map((path) => ({ path, source: 'memory' as const }));
  const linking = documents.flatMap((document) => {
    const links = noteLinks(textLines(files[document.path] ?? ''));
    return links === undefined ? [] : [{ ...document, links }];
  });
  return createLinkMap(documents, linking);
}

function targetOf(text: string, others: readonly string[], from = 'memory/a.md') {
  const map = mapOf({ ...Object.fromEntries(others.map((path) => [path, ''])), [from]: text });
  return map.out(from)[0]?.to;
}

test('a path is relative to the note, then to the workspace', () => {
  const files = ['b.md', 'memory/b.md', 'memory/deep/c.md'];
  assert.is(targetOf('[x](b.md)', files), 'memory/b.md');
  assert.is(targetOf('[x](../b.md)', files), 'b.md');
  assert.is(targetOf('[x](/b.md)', files), 'b.md');
  assert.is(targetOf('[[memory/deep/c]]', files), 'memory/deep/c.md');
  assert.is(targetOf('[[deep/c]]', files), 'memory/deep/c.md');
});

test('a unique file name is enough, in any case', () => {
  const files = ['memory/deep/House plan.md', 'x/readme.md', 'y/readme.md'];
  assert.is(targetOf('[[house PLAN]]', files), 'memory/deep/House plan.md');
  assert.is(targetOf('[[y/README]]', files), 'y/readme.md');
  const [link] = mapOf({
    'memory/a.md': '[[readme]]',
    'x/readme.md': '',
    'y/readme.md': '',
  }).broken();
  assert.equal(link?.candidates, ['x/readme.md', 'y/readme.md']);
});

test('nothing outside of the indexed files is a target', () => {
  for (const text of [
    '[x](../../etc/passwd.md)',
    '[[../../../etc/passwd]]',
    '[x](/etc/passwd.md)',
  ]) {
    const map = mapOf({ 'memory/a.md': text });
    assert.is(map.out('memory/a.md')[0]?.to, null, text);
    assert.is(map.broken().length, 1, text);
  }
});

test('links to other kinds of files are not broken', () => {
  const map = mapOf({
    'a.md': '![[photo.png]] [code](src/main.ts) [license](LICENSE) [[sub/]] [x](sub/)',
  });
  assert.equal(map.out('a.md'), []);
  assert.equal(map.broken(), []);
});

test('a link that a line repeats counts once', () => {
  const map = mapOf({ 'a.md': '[[b]] [[b]] [[none]] [[none]]\n\n[[none]]', 'b.md': '' });
  assert.equal(
    map.out('a.md').map(({ line, target }) => [line, target]),
    [
      [1, 'b'],
      [1, 'none'],
      [3, 'none'],
    ],
  );
});

test('a link whose target appears later leads to it', () => {
  assert.is(mapOf({ 'a.md': '[[Garden]]' }).broken().length, 1);
  const map = mapOf({ 'a.md': '[[Garden]]', 'garden.md': '' });
  assert.equal(map.broken(), []);
  assert.equal(
    map.back('garden.md').map(({ from, line }) => [from, line]),
    [['a.md', 1]],
  );
});

test('neighbours are the files at both ends of links, once each', () => {
  const map = mapOf({
    'a.md': '[[b]] [[b]] [[c]] [[a]]',
    'b.md': '[[a]]',
    'c.md': '',
    'd.md': '[[a]] [[a]]',
  });
  assert.equal(map.neighbours('a.md'), [
    { path: 'b.md', relation: 'both' },
    { path: 'c.md', relation: 'links' },
    { path: 'd.md', relation: 'linked_from' },
  ]);
  assert.equal(map.neighbours('none.md'), []);
});

test.run();
