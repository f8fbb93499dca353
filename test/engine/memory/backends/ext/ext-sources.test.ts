import { rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Collection,
  externalSources,
  treeOf,
} from '../../../../../src/engine/memory/backends/ext/collections.js';
import { scanSources } from '../../../../../src/engine/memory/sources/memory-sources.js';
import { WatchScope } from '../../../../../src/engine/memory/watch/watch-scope.js';
import { folderOf, type TempFolder } from '../../../../support/temp-folder.js';
import { GROWTH, message, transcriptPlace } from '../../../../support/transcripts.js';

const test = suite('sources of the external backend');

function world() {
  const folder = folderOf({
    'ws/MEMORY.md': 'm',
    'ws/USER.md': 'u',
    'ws/memory/a.md': 'a',
    'ws/memory/b.txt': 'b',
    'wiki/c.md': 'c',
    'wiki/deep/d.md': 'd',
  });
  const one = (root: string, pattern: string): Collection => {
    return { name: `${root}${pattern}`, root: folder.at(root), pattern, source: 'memory' };
  };
  return {
    folder,
    all: [one('ws', 'MEMORY.md'), one('ws/memory', '**/*.md'), one('wiki', '*.md')],
  };
}

const own = (folder: TempFolder) => {
  return { memory: { workspaceDir: folder.at('ws'), layout: 'agent', extraPaths: [] } } as const;
};

test('the built-in engine indexes the files of the collections, and no others', () => {
  const { folder, all } = world();
  const { mirrored } = externalSources(own(folder), undefined, () => all);
  const paths = (): readonly string[] => scanSources(mirrored).files.map(({ path }) => path);
  assert.equal(paths(), ['MEMORY.md', 'memory/a.md', '../wiki/c.md']);
  // A folder that may still appear is not reported as missing.
  rmSync(folder.at('wiki'), { recursive: true });
  assert.equal(scanSources(mirrored).skipped, []);
  folder.write('wiki/e.md', 'e');
  assert.equal(paths(), ['MEMORY.md', 'memory/a.md', '../wiki/e.md']);
});

test('folders that may appear are watched, too', () => {
  const { folder, all } = world();
  rmSync(folder.at('wiki'), { recursive: true });
  const { watched } = externalSources(own(folder), undefined, () => all);
  assert.ok(new WatchScope(watched).entries.get(folder.path)?.has('wiki'));
  folder.write('wiki/c.md', 'c');
  assert.ok(new WatchScope(watched).trees.has(folder.at('wiki')));
});

test('the fingerprint of the files changes with each file, folder and collection', () => {
  const { folder, all } = world();
  const later = Date.now() + 60_000;
  const seen = new Set<string | null>();
  const fingerprint = (collections: readonly Collection[] = all): string | null =>
    treeOf(collections, undefined, later);
  const changes: readonly (() => void)[] = [
    () => undefined,
    () => folder.write('ws/memory/new.md', ''),
    () => folder.write('ws/memory/new.md', 'x'),
    () => utimesSync(folder.at('ws/memory/new.md'), 1, 1),
    () => rmSync(folder.at('ws/memory/new.md')),
    () => folder.write('ws/MEMORY.md', 'other'),
    () => rmSync(folder.at('ws/MEMORY.md')),
    () => rmSync(folder.at('wiki'), { recursive: true }),
  ];
  const fingerprints = changes.map((change) => {
    change();
    const now = fingerprint();
    assert.is(now, fingerprint());
    seen.add(now);
    return now;
  });
  assert.ok(fingerprints.every((now) => now !== null));
  // The file that came and went leaves no trace.
  assert.is(fingerprints[0], fingerprints[4]);
  assert.is(seen.size, changes.length - 1);
  assert.not.equal(fingerprint(all.slice(1)), fingerprint());
});

test('a new empty folder is a change: the program must register it', () => {
  const { folder, all } = world();
  const more = [
    ...all,
    { name: 'x', root: folder.at('x'), pattern: '**/*.md', source: 'memory' as const },
  ];
  const before = treeOf(more, undefined, Date.now() + 60_000);
  folder.write('x/file.txt', '');
  assert.not.equal(treeOf(more, undefined, Date.now() + 60_000), before);
});

test('a file that was just written is not trusted yet', () => {
  const { folder, all } = world();
  const file = folder.write('ws/memory/a.md', 'now');
  assert.ok(treeOf(all, undefined, Date.now() + 60_000) !== null);
  assert.is(treeOf(all, undefined, statSync(file).mtimeMs + 1), null);
});

test('for conversations the transcripts count, not their exports', () => {
  const { folder, all } = world();
  const transcripts = { places: [transcriptPlace(folder.at('sessions'))], growth: GROWTH };
  folder.write('sessions/s.jsonl', message('user', 'one'));
  const sessions = {
    name: 's',
    root: folder.at('out'),
    pattern: '**/*.md',
    source: 'sessions' as const,
  };
  folder.write(join('out', 's.md'), 'one');
  const fingerprint = (): string | null =>
    treeOf([...all, sessions], transcripts, Date.now() + 60_000);
  const before = fingerprint();
  folder.write(join('out', 's.md'), 'written again');
  assert.is(fingerprint(), before);
  folder.write('sessions/s.jsonl', message('user', 'one, and more'));
  assert.not.equal(fingerprint(), before);
});

test.run();
