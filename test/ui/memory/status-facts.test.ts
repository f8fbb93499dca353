import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BackendStatus } from '../../../src/engine/memory/backends/memory-backend.js';
import { extFacts } from '../../../src/ui/memory/status-facts.js';
import { createStyle } from '../../../src/ui/style.js';

const test = suite('the external program in a status');

const NOW = 1_000_000_000;

type Ext = NonNullable<BackendStatus['ext']>;

const EXT: Ext = {
  answers: 'ext',
  why: null,
  mode: 'search',
  program: '/home/ada/bin/qmd',
  release: '2.8.3',
  detected: { patternFlag: '--mask', manyCollections: true },
  indexFile: '/home/ada/.svc/agents/main/qmd/cache/qmd/index.sqlite',
  collections: [
    {
      name: 'memory-root-main',
      root: '/home/ada/notes',
      pattern: 'MEMORY.md',
      source: 'memory',
      known: true,
    },
    { name: 'wiki', root: '/srv/wiki', pattern: '**/*.md', source: 'memory', known: false },
  ],
  updated: { at: new Date(NOW - 120_000).toISOString(), tookMs: 1500, files: 12, stale: false },
  vectors: 'off',
  withoutVectors: null,
};

/** `label: line` for each line shown. */
function factLines(fields: Partial<Ext>): readonly string[] {
  const options = {
    style: createStyle(false),
    columns: undefined,
    nowMs: NOW,
    homeDir: '/home/ada',
    hintFor: String,
  };
  return extFacts({ ...EXT, ...fields }, options).flatMap(({ label, lines }) =>
    lines.map((line) => `${label}: ${line}`),
  );
}

test('shows the program, its mode, its location and its freshness', () => {
  assert.equal(factLines({}), [
    'backend: external',
    'program: ~/bin/qmd, release 2.8.3',
    'mode: search, keyword search only',
    'collections: memory-root-main  ~/notes    MEMORY.md',
    'collections: wiki              /srv/wiki  **/*.md    not indexed yet',
    'updated: 2 min ago, 12 files, in 1.5 s',
  ]);
});

test('a paused program is shown with its cause and a hint', () => {
  const why = {
    code: 'BACKEND_TIMEOUT',
    message: 'it took \u001b[31mtoo long',
    hint: 'give it time',
  };
  const lines = factLines({ answers: 'builtin', why, program: null, release: null });
  assert.match(lines[0] ?? '', /^backend: builtin, instead of the external program: it took/);
  assert.not.ok(lines.join('').includes('\u001b'));
  assert.equal(lines.slice(1, 3), [
    'backend: → give it time',
    'program: not found, release not known yet',
  ]);
});

test('vectors are shown in the modes that use them', () => {
  const mode = (fields: Partial<Ext>): string | undefined =>
    factLines({ mode: 'query', ...fields }).find((line) => line.startsWith('mode'));
  assert.is(
    mode({ vectors: 'ready', withoutVectors: 0 }),
    'mode: query, all documents have vectors',
  );
  assert.is(
    mode({ vectors: 'missing', withoutVectors: 1 }),
    'mode: query, 1 document without vectors',
  );
  assert.is(mode({ vectors: 'unknown' }), 'mode: query, no vectors yet');
});

test('a stale or missing index is reported', () => {
  const updated = { at: new Date(NOW - 120_000).toISOString(), tookMs: 20, files: 1, stale: true };
  assert.match(factLines({ updated }).at(-1) ?? '', /; files changed since$/);
  assert.match(
    factLines({ updated: null }).at(-1) ?? '',
    /^updated: never: run "svc memory index", or search/,
  );
});

test.run();
