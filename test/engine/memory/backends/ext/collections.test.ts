import { mkdirSync, symlinkSync } from 'node:fs';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../../../src/engine/config/index.js';
import {
  type CollectionSettings,
  collectionsOf,
} from '../../../../../src/engine/memory/backends/ext/collections.js';
import { folderOf } from '../../../../support/temp-folder.js';

const test = suite('the collections of an agent');

const world = folderOf({ 'ws/MEMORY.md': 'm', 'ws/memory/a.md': 'a', 'wiki/b.md': 'b' });
const shipped = resolveConfig({}).memory.ext;

interface CollectionOptions {
  readonly id?: string;
  readonly ext?: Partial<CollectionSettings['ext']>;
  readonly extraPaths?: readonly string[];
  readonly extraCollections?: CollectionSettings['agent']['memorySearch']['ext']['extraCollections'];
}

function collections({
  id = 'main',
  ext = {},
  extraPaths = [],
  extraCollections = [],
}: CollectionOptions) {
  return collectionsOf({
    agent: {
      id,
      workspaceDir: world.at('ws'),
      memorySearch: { extraPaths: [...extraPaths], ext: { extraCollections } },
    },
    ext: { ...shipped, ...ext },
    exportDir: world.at('exports'),
    homeDir: world.path,
  });
}

/** Name, folder and pattern of each. */
const summaryOf = (options: CollectionOptions): readonly string[] =>
  collections(options).map(
    ({ name, root, pattern }) => `${name} ${root.slice(world.path.length)} ${pattern}`,
  );

test('the memory itself comes first, unless it is left out', () => {
  assert.equal(summaryOf({}), [
    'memory-root-main /ws MEMORY.md',
    'memory-dir-main /ws/memory **/*.md',
  ]);
  assert.equal(summaryOf({ ext: { includeDefaultMemory: false } }), []);
});

test('a chosen name is kept outside the workspace, and gets the agent’s name as a suffix inside', () => {
  const paths = [
    { name: 'wiki', path: world.at('wiki') },
    { name: 'inside', path: 'memory', pattern: '*.txt' },
    { name: 'a wild/name*', path: world.at('other'), pattern: '*.md' },
  ];
  assert.equal(summaryOf({ ext: { includeDefaultMemory: false, paths } }), [
    'wiki /wiki **/*.md',
    'inside-main /ws/memory *.txt',
    'a-wild-name /other *.md',
  ]);
});

test('if several lists name a folder, the first takes precedence, also through another link', () => {
  symlinkSync(world.at('wiki'), world.at('link'));
  const options = {
    ext: { includeDefaultMemory: false, paths: [{ name: 'first', path: '~/wiki' }] },
    extraPaths: [world.at('link'), '../wiki'],
    extraCollections: [{ name: 'third', path: world.at('wiki'), pattern: '*.txt' }],
  };
  assert.equal(summaryOf(options), ['first /wiki **/*.md']);
});

test('one list may name a folder twice, with other patterns', () => {
  const paths = [
    { name: 'md', path: '~/wiki' },
    { name: 'again', path: '~/wiki' },
    { name: 'txt', path: '~/wiki', pattern: '**/*.txt' },
  ];
  assert.equal(summaryOf({ ext: { includeDefaultMemory: false, paths } }), [
    'md /wiki **/*.md',
    'txt /wiki **/*.txt',
  ]);
});

test('a file becomes its folder with a pattern that matches only it', () => {
  world.write('wiki/odd [1].md', 'x');
  assert.equal(
    summaryOf({ ext: { includeDefaultMemory: false }, extraPaths: ['~/wiki/odd [1].md'] }),
    ['odd-1-md-main /wiki odd ?1?.md'],
  );
});

test('files of one folder in several lists are different paths', () => {
  world.write('wiki/b.md', 'b');
  world.write('wiki/c.md', 'c');
  const options = {
    ext: { includeDefaultMemory: false, paths: [{ name: 'b', path: '~/wiki/b.md' }] },
    extraPaths: ['~/wiki/c.md', '../wiki/b.md'],
    extraCollections: [{ name: 'all', path: '~/wiki', pattern: '**/*.txt' }],
  };
  assert.equal(summaryOf(options), ['b /wiki b.md', 'c-md-main /wiki c.md', 'all /wiki **/*.txt']);
});

test('conversations come last, in the folder that they are exported to', () => {
  const sessions = { ...shipped.sessions, enabled: true };
  assert.is(summaryOf({ ext: { sessions } }).at(-1), 'sessions-main /exports **/*.md');
});

test('a memory folder that is a link is searched at its target', () => {
  const elsewhere = folderOf({ 'ws/x.md': '' });
  mkdirSync(elsewhere.at('real'));
  symlinkSync(elsewhere.at('real'), elsewhere.at('ws/memory'));
  const { memorySearch } = resolveConfig({}).agents.defaults;
  const [, memory] = collectionsOf({
    agent: { id: 'main', workspaceDir: elsewhere.at('ws'), memorySearch },
    ext: shipped,
    exportDir: '/none',
    homeDir: '/none',
  });
  assert.is(memory?.root, elsewhere.at('real'));
});

test('for any configuration, names are unique and safe, and no folder is listed twice', () => {
  const path = fc.constantFrom('a', 'b', './a', 'memory', '.', '..', '~/a', '/etc', 'a/../b');
  const entry = fc.record(
    { path, name: fc.oneof(fc.constantFrom('x', 'memory-dir-main', '--', ''), fc.string()) },
    { requiredKeys: ['path'] },
  );
  const list = fc.array(
    entry.map(({ path: at, name }) => ({ path: at, name: name ?? 'notes' })),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(list, fc.array(path), list, (paths, extraPaths, extraCollections) => {
      const all = collections({ ext: { paths }, extraPaths, extraCollections });
      assert.is(new Set(all.map(({ name }) => name)).size, all.length);
      for (const { name } of all) assert.match(name, /^\w[\w-]*$/u);
      const places = all.map(({ root, pattern }) => `${root}\0${pattern}`);
      assert.is(new Set(places).size, places.length);
      // The first of a place is kept: what comes earlier never changes by what comes later.
      const fewer = collections({ ext: { paths }, extraPaths: [], extraCollections: [] });
      assert.equal(all.slice(0, fewer.length), fewer);
    }),
  );
});

test.run();
