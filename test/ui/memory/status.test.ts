import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BackendStatus } from '../../../src/engine/memory/backends/memory-backend.js';
import { renderStatus } from '../../../src/ui/memory/status.js';
import { createStyle } from '../../../src/ui/style.js';

const NOW = 1_000_000_000;

function aStatus(fields: Partial<BackendStatus> = {}): BackendStatus {
  return {
    backend: 'builtin',
    workspaceDir: '/home/ada/notes',
    indexFile: '/home/ada/.svc/memory/main.sqlite',
    index: {
      state: 'ready',
      statistics: {
        documents: 1285,
        chunks: 13116,
        bySource: [
          { source: 'memory', documents: 1283, chunks: 13115 },
          { source: 'sessions', documents: 2, chunks: 1 },
        ],
        bytes: 24_100_000,
        syncedMs: NOW - 200_000,
      },
    },
    staleness: { added: 0, changed: 0, removed: 0, examples: [] },
    sources: ['memory', 'sessions'],
    extraPaths: [],
    tokenizer: 'unicode61',
    skipped: [],
    faults: [],
    ...fields,
  };
}

function lines(status: BackendStatus, columns?: number): readonly string[] {
  const text = renderStatus(
    [{ agentId: 'main', status, provider: undefined, vectors: undefined }],
    { style: createStyle(false), nowMs: NOW, columns, homeDir: '/home/ada' },
  );
  return text.trimEnd().replaceAll('\u202F', ' ').split('\n');
}

function line(status: BackendStatus, label: string): string {
  const found = lines(status).find((text) => text.startsWith(`  ${label}`));
  return found?.slice(15) ?? '';
}

test('tells the whole truth about an agent', () => {
  assert.equal(lines(aStatus({ extraPaths: ['../docs'] })), [
    'main',
    '  workspace    ~/notes',
    '  extra paths  ../docs',
    '  sources      memory    1 283 files  13 115 chunks',
    '               sessions      2 files        1 chunk',
    '  index        ~/.svc/memory/main.sqlite  24.1 MB',
    '  freshness    up to date',
    '  last sync    3 min ago',
    '  tokenizer    unicode61',
    '  backend      builtin',
    '  provider     none configured: lexical search only',
    '  vectors      none yet: lexical search only',
  ]);
});

test('says what is stale, and which files', () => {
  const staleness = { added: 3, changed: 1, removed: 0, examples: ['memory/a.md', 'b\n.md'] };
  assert.is(
    line(aStatus({ staleness }), 'freshness'),
    'stale: 3 added, 1 changed (memory/a.md, b\\n.md, …); svc memory index brings it up to date',
  );
});

test('says why there is no index to speak of', () => {
  const cases: readonly (readonly [Partial<BackendStatus>, RegExp])[] = [
    [{ index: { state: 'missing' } }, /^no index yet/],
    [{ index: { state: 'unusable', why: 'not a database' } }, /^unusable, .*: not a database$/],
    [{ staleness: undefined }, /^unknown/],
  ];
  for (const [fields, words] of cases) assert.match(line(aStatus(fields), 'freshness'), words);
  assert.is(line(aStatus({ index: { state: 'missing' } }), 'last sync'), 'never finished');
  assert.is(
    line(aStatus({ index: { state: 'missing' } }), 'sources'),
    'memory    0 files  0 chunks',
  );
});

test('wraps explanations under themselves and leaves paths whole', () => {
  const status = aStatus({
    workspaceDir: `/data/${'long/'.repeat(20)}`,
    skipped: [{ path: 'memory/old.md', reason: 'permission_denied' }],
    faults: [{ code: 'INDEX_STALE', message: 'the folder is read-only', hint: 'make it writable' }],
  });
  const shown = lines(status, 40);
  assert.is(shown[1], `  workspace    /data/${'long/'.repeat(20)}`);
  assert.equal(shown.slice(-4), [
    '  skipped      memory/old.md (permission',
    '               denied)',
    '  fault        the folder is read-only',
    '               → make it writable',
  ]);
});

test.run();
