import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BackendStatus } from '../../../src/engine/memory/backends/memory-backend.js';
import type { EmbeddingStatus } from '../../../src/engine/memory/embedding-status.js';
import { renderStatus } from '../../../src/ui/memory/status.js';
import { createStyle } from '../../../src/ui/style.js';

const NOW = 1_000_000_000;

const NO_PROVIDER: EmbeddingStatus = {
  mode: 'lexical',
  primary: undefined,
  fallback: undefined,
  missing: 'none_found',
  coverage: {
    state: 'empty',
    dimensions: null,
    done: 0,
    all: 13116,
    refused: 0,
    cached: 0,
    differences: [],
  },
  isBeingEmbedded: false,
  fallbackDone: 0,
  batchJobs: [],
  otherJobs: 0,
  media: null,
};

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
        media: { images: 0, audio: 0 },
        bytes: 24_100_000,
        lastSync: new Date(NOW - 200_000).toISOString(),
      },
    },
    staleness: { added: 0, changed: 0, removed: 0, examples: [] },
    sources: ['memory', 'sessions'],
    extraPaths: [],
    excluded: 0,
    frontMatter: [],
    tokenizer: 'unicode61',
    vectors: { spaces: [], batchJobs: [] },
    refusedMedia: [],
    watcher: null,
    skipped: [],
    faults: [],
    ...fields,
  };
}

function lines(
  status: BackendStatus,
  columns?: number,
  embedding: EmbeddingStatus = NO_PROVIDER,
): readonly string[] {
  const text = renderStatus([{ agentId: 'main', status, embedding }], {
    style: createStyle(false),
    nowMs: NOW,
    columns,
    homeDir: '/home/ada',
    hintFor: String,
  });
  return text.trimEnd().split('\n');
}

function line(status: BackendStatus, label: string): string {
  const found = lines(status).find((text) => text.startsWith(`  ${label}`));
  return found?.slice(15) ?? '';
}

test('shows everything about an agent', () => {
  assert.equal(lines(aStatus({ extraPaths: ['../docs'] })), [
    'main',
    '  workspace    ~/notes',
    '  extra paths  ../docs',
    '  sources      memory    1,283 files  13,115 chunks',
    '               sessions      2 files        1 chunk',
    '  index        ~/.svc/memory/main.sqlite  24.1 MB',
    '  freshness    up to date',
    '  last sync    3 min ago',
    '  tokenizer    unicode61',
    '  backend      builtin',
    '  provider     none: keyword search only; "svc provider list" shows what each provider needs',
  ]);
});

test('shows the provider and why it was chosen, the fallback, and how much is embedded', () => {
  const embedding: EmbeddingStatus = {
    mode: 'hybrid',
    primary: {
      provider: 'corp',
      adapter: 'openai',
      model: 'text-embedding-3-small',
      reason: { kind: 'setting', key: 'provider' },
      credential: { state: 'found', source: 'env CORP_KEY', set: true, hint: null },
    },
    fallback: {
      provider: 'gemini',
      adapter: 'gemini',
      model: 'gemini-embedding-001',
      reason: { kind: 'setting', key: 'fallback' },
      credential: { state: 'found', source: 'env GEMINI_API_KEY', set: true, hint: null },
    },
    missing: undefined,
    coverage: {
      state: 'partial',
      dimensions: 1536,
      done: 13000,
      all: 13116,
      refused: 0,
      cached: 120,
      differences: [],
    },
    isBeingEmbedded: false,
    fallbackDone: 7,
    batchJobs: [],
    otherJobs: 0,
    media: null,
  };
  const keyless = { state: 'missing', source: null, set: false, hint: 'set CORP_KEY' } as const;
  assert.is(
    lines(aStatus(), undefined, {
      ...embedding,
      ...(embedding.primary && { primary: { ...embedding.primary, credential: keyless } }),
    })[11],
    '               no key: set CORP_KEY',
  );
  const facts = (coverage: Partial<EmbeddingStatus['coverage']>): readonly string[] =>
    lines(aStatus(), undefined, {
      ...embedding,
      coverage: { ...embedding.coverage, ...coverage },
    }).slice(9);
  assert.equal(facts({}), [
    '  provider     corp (openai) · text-embedding-3-small',
    '               by memorySearch.provider; only --deep tests it',
    '  fallback     gemini · gemini-embedding-001; 7 passages with its vectors',
    '  vectors      13,000 of 13,116 passages · 1,536 dimensions · 120 cached',
    '               116 pending: "svc memory index" embeds them',
  ]);
  assert.is(facts({ done: 13_115 })[4], '               1 pending: "svc memory index" embeds it');
  const whileEmbedding = lines(aStatus(), undefined, { ...embedding, isBeingEmbedded: true });
  assert.is(whileEmbedding[13], '               116 pending: being embedded now');
  const fallbackOfOne = lines(aStatus(), undefined, { ...embedding, fallbackDone: 1 })[11];
  assert.match(fallbackOfOne ?? '', '; 1 passage with its vectors');
  const batchJobs = [7_200_000, 60_000].map((ms) => new Date(NOW - ms).toISOString());
  assert.equal(lines(aStatus(), undefined, { ...embedding, batchJobs }).slice(14), [
    '  batch        2 jobs, the first sent 2 h ago: "svc memory index" collects what is ready',
  ]);
  assert.equal(lines(aStatus(), undefined, { ...embedding, otherJobs: 1 }).slice(14), [
    '  batch        1 job of another provider or model, collected only once it is configured again',
  ]);
  const tested = renderStatus([{ agentId: 'main', status: aStatus(), embedding, isTested: true }], {
    style: createStyle(false),
    columns: 80,
    nowMs: NOW,
    homeDir: '/home/ada',
    hintFor: String,
  });
  assert.match(tested, /\n {15}by memorySearch\.provider\n/u);
  assert.equal(facts({ state: 'whole', cached: 0 }).slice(3), [
    '  vectors      all of 13,116 passages · 1,536 dimensions',
  ]);
  const differences = ['model: text-embedding-3-small → text-embedding-3-large'];
  assert.equal(facts({ state: 'other', done: 0, differences }).slice(3), [
    '  vectors      from other settings: 13,116 passages pending, "svc memory index" embeds them',
    '               model: text-embedding-3-small → text-embedding-3-large',
  ]);
});

test('says that it is stale, and which files changed', () => {
  const staleness = { added: 3, changed: 1, removed: 0, examples: ['memory/a.md', 'b\n.md'] };
  assert.is(
    line(aStatus({ staleness }), 'freshness'),
    'stale: 3 added, 1 changed (memory/a.md, b\\n.md, …); "svc memory index" updates it',
  );
});

test('says why there is no usable index', () => {
  const cases: readonly (readonly [Partial<BackendStatus>, RegExp])[] = [
    [{ index: { state: 'missing' } }, /^no index yet/],
    [{ index: { state: 'unusable', why: 'not a database' } }, /^unusable, .*: not a database$/],
    [{ staleness: undefined }, /^unknown/],
  ];
  for (const [fields, words] of cases) assert.match(line(aStatus(fields), 'freshness'), words);
  assert.is(line(aStatus({ index: { state: 'missing' } }), 'last sync'), 'never');
  assert.is(
    line(aStatus({ index: { state: 'missing' } }), 'sources'),
    'memory    0 files  0 chunks',
  );
  const unusable = aStatus({ index: { state: 'unusable', why: 'not a database' } });
  assert.equal(
    [line(unusable, 'sources'), line(unusable, 'last sync')],
    ['memory, sessions', 'unknown'],
  );
});

test('shows what is left out, what is rebuilt, and who keeps the index fresh', () => {
  const index = aStatus().index;
  assert.ok(index.state === 'ready');
  const notes = ['a', 'b', 'c', 'd'].map((name) => ({
    path: `${name}.md`,
    why: 'line 2: not YAML',
  }));
  const shown = lines(
    aStatus({
      excluded: 1,
      index: { ...index, rebuildBecause: 'tokenizer: porter → unicode61' },
      watcher: {
        pid: 12,
        since: new Date(NOW - 60_000).toISOString(),
        mode: 'watching',
        why: null,
      },
      frontMatter: notes,
    }),
  );
  for (const expected of [
    '  excluded     1 file or folder; --why PATH shows the pattern',
    '  freshness    the next sync rebuilds it: tokenizer: porter → unicode61',
    '  watched      watches files: process 12, started 1 min ago',
    '  front matter not valid: a.md (line 2: not YAML), b.md (line 2: not YAML), c.md (line 2: not YAML), …',
  ])
    assert.ok(shown.includes(expected), shown.join('\n'));
  const since = new Date(NOW - 60_000).toISOString();
  const polling = { pid: 12, since, mode: 'polling', why: 'too many watches' } as const;
  const polled = lines(aStatus({ watcher: polling })).join('\n');
  assert.match(
    polled,
    /^ {2}watched +by polling: process 12, started 1 min ago\n +too many watches$/m,
  );
});

test('shows why images and recordings are not searched by what is in them', () => {
  type Media = NonNullable<EmbeddingStatus['media']>;
  const mediaLines = (fields: Pick<Media, 'refused' | 'unavailable'>) => {
    const media: Media = { modalities: ['image'], maxFileBytes: 1e6, ...fields };
    const shown = lines(aStatus(), undefined, { ...NO_PROVIDER, media });
    return shown.slice(shown.findIndex((text) => text.startsWith('  media')));
  };
  const unavailable = { why: 'the model has no images', hint: 'choose another' };
  assert.equal(mediaLines({ unavailable, refused: [] }), [
    '  media        0 images, 0 recordings',
    '               only found by file name: the model has no images',
    '               → choose another',
  ]);
  const refused = ['a', 'b', 'c', 'd'].map((name) => ({
    path: `${name}.png`,
    mimeType: 'image/png',
    why: 'too large',
  }));
  assert.is(
    mediaLines({ unavailable: null, refused })[1],
    '               refused by the provider: a.png (too large), b.png (too large), c.png (too large), 1 more',
  );
});

test('names the first skipped files, and with --verbose all of them', () => {
  const names = ['a.md', 'b.md', 'c.md', 'd.md'];
  const status = aStatus({
    skipped: names.map((path) => ({ path, reason: 'permission_denied' })),
  });
  assert.match(line(status, 'skipped'), /c\.md \(permission denied\) · 1 more$/);
  const text = renderStatus(
    [{ agentId: 'main', status, embedding: NO_PROVIDER, isVerbose: true }],
    {
      style: createStyle(false),
      nowMs: NOW,
      columns: undefined,
      homeDir: '/home/ada',
      hintFor: String,
    },
  );
  const named = text.trimEnd().split('\n').slice(-names.length);
  assert.equal(
    named.map((line) => line.slice(15)),
    names.map((name) => `${name} (permission denied)`),
  );
});

test('wraps explanations with a hanging indent and never breaks paths', () => {
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
