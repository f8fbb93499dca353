import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/resolve-config.js';
import { ADAPTER_KINDS } from '../../../src/engine/providers/registry.js';
import { isRecord } from '../../../src/engine/support/text.js';
import { webhooksConfig } from '../../support/webhooks.js';
import { faultsOf } from './support.js';

const test = suite('configuration schema');

const REFERENCE = { source: 'exec', provider: 'tool', id: 'team/openai' };

/** One value for every key of the specification and the configuration reference. */
const MEMORY_SEARCH = {
  enabled: true,
  provider: 'gemini',
  model: 'gemini-embedding-2',
  fallback: 'none',
  outputDimensionality: 768,
  inputType: 'passage',
  queryInputType: 'query',
  documentInputType: 'document',
  sources: ['memory', 'sessions'],
  extraPaths: ['/notes', 'docs'],
  remote: {
    baseUrl: 'https://example.com/v1',
    apiKey: 'env:EMBEDDING_KEY',
    headers: { 'x-team': 'search', authorization: REFERENCE },
    nonBatchConcurrency: 4,
    batch: { enabled: true, concurrency: 2, wait: false, pollIntervalMs: 2000, timeoutMinutes: 60 },
  },
  local: { modelPath: 'hf:org/model.gguf', modelCacheDir: '~/models', contextSize: 4096 },
  chunking: { tokens: 400, overlap: 80 },
  query: {
    maxResults: 6,
    minScore: 0.35,
    snippetChars: 700,
    hybrid: {
      enabled: true,
      vectorWeight: 0.7,
      textWeight: 0.3,
      candidateMultiplier: 4,
      mmr: { enabled: true, lambda: 0.7 },
      temporalDecay: { enabled: true, halfLifeDays: 30 },
    },
  },
  sync: {
    onSearch: true,
    onSessionStart: true,
    watch: true,
    watchDebounceMs: 1500,
    intervalMinutes: 5,
    embeddingBatchTimeoutSeconds: 600,
    sessions: { deltaBytes: 100000, deltaMessages: 50, postCompactionForce: true },
  },
  multimodal: { enabled: true, modalities: ['all'], maxFileBytes: 10000000 },
  cache: { enabled: true, maxEntries: 50000 },
  experimental: { sessionMemory: true },
  store: {
    driver: 'sqlite',
    path: '~/index/{agentId}.sqlite',
    vector: { enabled: true, extensionPath: '/lib/vec0.so' },
    fts: { tokenizer: 'trigram' },
  },
  ext: { extraCollections: [{ path: '/wiki', name: 'wiki', pattern: '**/*.md' }] },
};

const RUNTIME = {
  command: ['/usr/bin/agent', '--json'],
  env: { TOKEN: 'x' },
  cwd: '/work',
  timeoutSeconds: 60,
  maxAttempts: 3,
  permissions: 'deny',
};

const EVERY_KEY = {
  $schema: './svc.schema.json',
  agents: {
    defaults: { workspace: '~/notes', userTimezone: 'Europe/Paris', memorySearch: MEMORY_SEARCH },
    list: [
      { id: 'main', default: true, workspace: '/notes', memorySearch: MEMORY_SEARCH },
      { id: '0-b_c' },
    ],
  },
  models: {
    providers: {
      'my.host': {
        api: 'openai',
        baseUrl: 'http://localhost:8080',
        apiKey: REFERENCE,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which a file names a variable
        headers: { 'x-key': '${HOST_KEY}' },
        models: [{ id: 'embed-large' }],
      },
    },
  },
  memory: {
    backend: 'ext',
    citations: 'off',
    ext: {
      command: '/usr/bin/qmd',
      searchMode: 'vsearch',
      searchTool: 'query',
      includeDefaultMemory: true,
      paths: [{ path: '/wiki', name: 'wiki', pattern: '**/*.md' }],
      sessions: { enabled: true, retentionDays: 30, exportDir: '/export' },
      update: {
        interval: '5m',
        debounceMs: 15000,
        onBoot: true,
        embedInterval: '60m',
        commandTimeoutMs: 30000,
        updateTimeoutMs: 120000,
        embedTimeoutMs: 120000,
      },
      limits: { maxResults: 6, timeoutMs: 4000, maxSnippetChars: 450, maxInjectedChars: 2200 },
      scope: {
        default: 'deny',
        rules: [
          {
            action: 'allow',
            match: {
              channel: 'web',
              chatType: 'direct',
              keyPrefix: 'a',
              rawKeyPrefix: 'agent:main:',
            },
          },
        ],
      },
    },
  },
  sessions: { readers: ['svc', { id: 'codex', path: '/transcripts' }] },
  plugins: {
    entries: {
      'memory-core': {
        config: {
          dreaming: {
            enabled: true,
            frequency: '0 3 * * *',
            timezone: 'UTC',
            model: 'vendor/model',
            verboseLogging: true,
            storage: { mode: 'both', separateReports: true },
            phases: {
              light: { enabled: true, lookbackDays: 2, limit: 100, dedupeSimilarity: 0.9 },
              rem: { enabled: true, lookbackDays: 7, limit: 10, minPatternStrength: 0.75 },
              deep: {
                enabled: true,
                limit: 10,
                minScore: 0.75,
                minRecallCount: 3,
                minUniqueQueries: 3,
                recencyHalfLifeDays: 14,
                maxAgeDays: 30,
                maxPromotedSnippetTokens: 160,
                maxPriorEntryLossFraction: 0.25,
              },
            },
          },
        },
        subagent: { allowModelOverride: true, allowedModels: ['*'] },
      },
      'active-memory': {
        enabled: true,
        config: {
          enabled: true,
          agents: ['main'],
          model: 'vendor/model',
          modelFallback: 'vendor/other',
          modelFallbackPolicy: 'resolved-only',
          allowedChatTypes: ['direct', 'group', 'channel', 'explicit'],
          allowedChatIds: ['a'],
          deniedChatIds: ['b'],
          thinking: 'max',
          timeoutMs: 250,
          setupGraceTimeoutMs: 30000,
          queryMode: 'full',
          promptStyle: 'preference-only',
          promptOverride: 'x',
          promptAppend: 'y',
          maxSummaryChars: 1000,
          recentUserTurns: 4,
          recentAssistantTurns: 3,
          recentUserChars: 40,
          recentAssistantChars: 40,
          cacheTtlMs: 1000,
          circuitBreakerMaxTimeouts: 20,
          circuitBreakerCooldownMs: 5000,
          logging: true,
          persistTranscripts: true,
          transcriptDir: 'recalls',
          ext: { searchMode: 'inherit' },
        },
      },
      webhooks: {
        enabled: true,
        config: {
          routes: {
            ci: {
              enabled: true,
              path: '/hooks/ci',
              sessionKey: 'agent:main:main',
              secret: { source: 'file', provider: 'vault', id: '/webhooks/ci' },
              controllerId: 'ci',
              description: 'from CI',
            },
          },
          limits: {
            ratePerWindow: 120,
            windowSeconds: 60,
            inFlight: 8,
            bodyBytes: 262144,
            bodyTimeoutSeconds: 15,
            trackedClients: 4096,
          },
        },
      },
    },
  },
  gateway: {
    host: '0.0.0.0',
    port: 8787,
    tls: { cert: 'cert.pem', key: 'key.pem' },
    trustedProxies: ['10.0.0.0/8'],
    admin: { host: '127.0.0.1', port: 9000 },
    drainSeconds: 20,
  },
  flows: {
    retentionDays: 7,
    idempotencyHours: 24,
    concurrency: 2,
    runtimes: { subagent: RUNTIME, acp: RUNTIME },
    notify: { url: 'https://example.com', secret: 'env:NOTIFY_SECRET' },
  },
  secrets: {
    providers: {
      default: { source: 'env', allowlist: ['A'] },
      vault: {
        source: 'file',
        path: '/secrets.json',
        mode: 'json',
        timeoutMs: 5000,
        maxBytes: 1048576,
        allowInsecurePath: false,
      },
      tool: {
        source: 'exec',
        command: '/usr/bin/pass',
        args: ['show'],
        timeoutMs: 5000,
        noOutputTimeoutMs: 5000,
        maxOutputBytes: 1048576,
        jsonOnly: true,
        env: { A: 'b' },
        passEnv: ['HOME'],
        trustedDirs: ['/usr/bin'],
        allowInsecurePath: false,
        allowSymlinkCommand: false,
      },
    },
    defaults: { env: 'default', file: 'vault', exec: 'tool' },
    resolution: { maxProviderConcurrency: 4, maxRefsPerProvider: 512, maxBatchBytes: 262144 },
  },
  logging: { level: 'info', format: 'auto', file: 'svc.log' },
  ui: { history: false, theme: 'light', mouse: false },
};

test('every key of the specification is accepted', () => {
  assert.equal(faultsOf(EVERY_KEY), []);
  // The one that excludes others.
  assert.equal(faultsOf({ flows: { notify: { command: ['notify'] } } }), []);
});

test('numbers without limits in the specification are not limited', () => {
  const memorySearch = {
    query: {
      hybrid: { candidateMultiplier: 25.5, temporalDecay: { enabled: true, halfLifeDays: 7.5 } },
    },
    remote: {
      nonBatchConcurrency: 100,
      batch: { enabled: true, concurrency: 100, pollIntervalMs: 10, timeoutMinutes: 0.05 },
    },
    sync: { embeddingBatchTimeoutSeconds: 0.5 },
  };
  assert.equal(faultsOf({ agents: { defaults: { memorySearch } } }), []);
  const ext = { limits: { timeoutMs: 50 }, update: { updateTimeoutMs: 50 } };
  assert.equal(faultsOf({ memory: { backend: 'ext', ext } }), []);
});

test('times that end beyond the range of dates are refused', () => {
  const faults = faultsOf({ flows: { retentionDays: 100_000_000, idempotencyHours: 1e13 } });
  assert.is(faults.length, 2);
  assert.equal(faultsOf({ flows: { retentionDays: 36_500, idempotencyHours: 8760 } }), []);
  const ext = (retentionDays: number) => ({
    memory: { backend: 'ext', ext: { sessions: { enabled: true, retentionDays } } },
  });
  assert.match(JSON.stringify(faultsOf(ext(1e9))), 'between 1 and 36500');
  assert.equal(faultsOf(ext(36_500)), []);
  const sleep = {
    light: { lookbackDays: 1e9 },
    rem: { lookbackDays: 1e9 },
    deep: { maxAgeDays: 1e9 },
  };
  const dreaming = { 'memory-core': { config: { dreaming: { phases: sleep } } } };
  assert.is(faultsOf({ plugins: { entries: dreaming } }).length, 3);
});

test('texts that are blank are refused like empty ones', () => {
  for (const blank of ['', ' ', '\t\n']) {
    const match = { keyPrefix: blank };
    const faults = faultsOf({
      agents: {
        defaults: { memorySearch: { inputType: blank, model: blank, extraPaths: [blank] } },
      },
      memory: { ext: { scope: { rules: [{ action: 'allow', match }] } } },
    });
    assert.is(faults.length, 4, JSON.stringify(faults));
  }
});

test('an empty object is a configuration', () => {
  assert.equal(faultsOf({}), []);
});

test('defaults of memory search are those of the specification', () => {
  const { memorySearch } = resolveConfig({}).agents.defaults;
  assert.is(memorySearch.enabled, true);
  assert.is(memorySearch.provider, 'auto');
  assert.is(memorySearch.fallback, 'none');
  assert.equal(memorySearch.query.hybrid, {
    enabled: true,
    vectorWeight: 0.7,
    textWeight: 0.3,
    candidateMultiplier: 4,
    mmr: { enabled: false, lambda: 0.7 },
    temporalDecay: { enabled: false, halfLifeDays: 30 },
  });
  assert.is(memorySearch.query.maxResults, 6);
  assert.is(memorySearch.query.minScore, 0.25);
  assert.equal(memorySearch.multimodal, { enabled: false, maxFileBytes: 10000000 });
  assert.equal(memorySearch.cache, { enabled: false, maxEntries: 50000 });
  assert.equal(memorySearch.remote.batch, {
    enabled: false,
    concurrency: 2,
    wait: true,
    timeoutMinutes: 60,
  });
  assert.is(memorySearch.experimental.sessionMemory, false);
  assert.equal(memorySearch.sources, ['memory']);
  assert.is(memorySearch.sync.sessions.deltaBytes, 100000);
  assert.is(memorySearch.sync.sessions.deltaMessages, 50);
  assert.is(memorySearch.sync.embeddingBatchTimeoutSeconds, undefined);
  assert.is(memorySearch.store.vector.enabled, true);
  assert.is(memorySearch.store.fts.tokenizer, 'unicode61');
});

test('defaults outside of memory search are those of the specification', () => {
  const { memory, plugins, gateway, flows } = resolveConfig({});
  assert.is(memory.backend, 'builtin');
  assert.is(memory.citations, 'auto');
  assert.is(memory.ext.searchMode, 'search');
  assert.is(memory.ext.includeDefaultMemory, true);
  assert.is(memory.ext.sessions.enabled, false);
  assert.equal(memory.ext.scope, {
    default: 'deny',
    rules: [
      { action: 'allow', match: { chatType: 'direct' } },
      { action: 'allow', match: { chatType: 'channel' } },
    ],
  });
  const { dreaming } = plugins.entries['memory-core'].config;
  assert.is(dreaming.enabled, false);
  assert.is(dreaming.frequency, '0 3 * * *');
  assert.is(dreaming.phases.deep.minScore, 0.75);
  assert.is(plugins.entries['active-memory'].enabled, false);
  assert.is(plugins.entries['active-memory'].config.timeoutMs, 15000);
  assert.is(plugins.entries.webhooks.enabled, false);
  assert.is(plugins.entries.webhooks.config.limits.bodyBytes, 262144);
  assert.is(gateway.port, 8787);
  assert.is(flows.retentionDays, 7);
});

test('a route gets its path and its switch from the specification', () => {
  const route = { sessionKey: 's', secret: 'x'.repeat(24) };
  const { plugins } = resolveConfig({
    plugins: { entries: { webhooks: { config: { routes: { ci: route } } } } },
  });
  const ci = plugins.entries.webhooks.config.routes['ci'];
  assert.is(ci?.path, '/plugins/webhooks/ci');
  assert.is(ci?.enabled, true);
  assert.equal(ci?.secret, { kind: 'plain', value: 'x'.repeat(24) });
});

for (const [kind, adapter] of ADAPTER_KINDS) {
  test(`${kind} is another name of ${adapter}`, () => {
    const input = {
      agents: { defaults: { memorySearch: { provider: kind } } },
      models: { providers: { own: { api: kind } } },
    };
    assert.equal(faultsOf(input), []);
    const resolved = resolveConfig(input);
    assert.is(resolved.agents.defaults.memorySearch.provider, adapter);
    assert.is(resolved.models.providers['own']?.api, adapter);
  });
}

const secretOf = (apiKey: unknown) => ({ models: { providers: { x: { apiKey } } } });

/** What references that are no variables need. */
const DECLARED: Readonly<Record<string, unknown>> = {
  file: { default: { source: 'file', path: '/s' } },
  exec: { vault: { source: 'exec', command: '/bin/s' } },
};

const GOOD_SECRETS: readonly (readonly [unknown, unknown])[] = [
  ['a plain secret, long enough', { kind: 'plain', value: 'a plain secret, long enough' }],
  ['env:API_KEY', { kind: 'reference', source: 'env', provider: 'default', id: 'API_KEY' }],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which a file names a variable
  ['${API_KEY}', { kind: 'reference', source: 'env', provider: 'default', id: 'API_KEY' }],
  [
    { source: 'file', id: '/a~1b/0' },
    { kind: 'reference', source: 'file', provider: 'default', id: '/a~1b/0' },
  ],
  [
    { source: 'exec', provider: 'vault', id: 'a/b:c' },
    { kind: 'reference', source: 'exec', provider: 'vault', id: 'a/b:c' },
  ],
];

for (const [written, parsed] of GOOD_SECRETS) {
  test(`the secret ${JSON.stringify(written)} is understood`, () => {
    const source = isRecord(written) ? String(written['source']) : 'env';
    const config = { ...secretOf(written), secrets: { providers: DECLARED[source] ?? {} } };
    assert.equal(faultsOf(config), []);
    const provider = resolveConfig(JSON.parse(JSON.stringify(config))).models.providers['x'];
    assert.equal(provider?.apiKey, parsed);
  });
}

test('routes and providers can have the names of settings', () => {
  const secret = 'env:API_KEY';
  const routes = { env: { sessionKey: 's', secret }, headers: { sessionKey: 's', secret } };
  const config = {
    models: { providers: { env: { apiKey: secret } } },
    ...webhooksConfig(routes),
    flows: { runtimes: { acp: { command: ['agent'], env: { KEY: secret } } } },
  };
  assert.equal(faultsOf(config), []);
  const { models, plugins, flows } = resolveConfig(config);
  const parsed = { kind: 'reference', source: 'env', provider: 'default', id: 'API_KEY' };
  const { config: resolved } = plugins.entries.webhooks;
  assert.equal(
    Object.values(resolved.routes).map((route) => route.secret),
    [parsed, parsed],
  );
  assert.equal(models.providers['env']?.apiKey, parsed);
  // A program gets its variables as they are written.
  assert.equal(flows.runtimes.acp?.env, { KEY: secret });
});

const BAD_SECRETS: readonly unknown[] = [
  '',
  'env:',
  'env:lower',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which a file names a variable
  '${not a name}',
  7,
  { source: 'env', id: 'lower' },
  { source: 'env', provider: 'Upper', id: 'A' },
  { source: 'file', id: 'no-pointer' },
  { source: 'file', id: '/bad~2escape' },
  { source: 'exec', id: 'a/../b' },
  { source: 'store', id: 'A' },
  { source: 'env', provider: 'default', id: 'A', extra: 1 },
  { source: 'env', provider: 'default' },
];

for (const written of BAD_SECRETS) {
  test(`the secret ${JSON.stringify(written)} is a fault`, () => {
    assert.is(faultsOf(secretOf(written)).length, 1);
  });
}

test.run();
