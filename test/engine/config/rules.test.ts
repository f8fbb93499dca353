import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkConfigText } from '../../../src/engine/config/check.js';
import { faultsOf, warningsOf } from './support.js';

const test = suite('rules across keys');

const search = (memorySearch: unknown) => ({ agents: { defaults: { memorySearch } } });
const route = (path?: string) => ({ sessionKey: 's', secret: 'x'.repeat(24), path });
const webhooks = (routes: unknown) => ({
  plugins: { entries: { webhooks: { config: { routes } } } },
});
const dreaming = (frequency: string) => ({
  plugins: { entries: { 'memory-core': { config: { dreaming: { frequency } } } } },
});

/** A configuration, and `code path (related places)` of what is said about it. */
const FAULTS: readonly (readonly [string, unknown, readonly string[]])[] = [
  [
    'an unknown provider',
    search({ provider: 'opnai' }),
    ['unknown-provider agents.defaults.memorySearch.provider (0)'],
  ],
  [
    'an unknown fallback',
    search({ fallback: 'nope' }),
    ['unknown-provider agents.defaults.memorySearch.fallback (0)'],
  ],
  [
    'a provider entry that names no adapter',
    { ...search({ provider: 'own' }), models: { providers: { own: { api: 'chat-only' } } } },
    ['unknown-provider agents.defaults.memorySearch.provider (1)'],
  ],
  [
    'a reranker without what it needs',
    {
      agents: {
        defaults: { memorySearch: { query: { rerank: { provider: 'compatible' } } } },
        list: [{ id: 'a', memorySearch: { query: { rerank: { provider: 'chat' } } } }],
      },
    },
    [
      'reranker-incomplete agents.defaults.memorySearch.query.rerank.provider (0)',
      'reranker-incomplete agents.list[0].memorySearch.query.rerank.provider (0)',
    ],
  ],
  [
    'half of a certificate',
    { gateway: { tls: { cert: 'cert.pem' } }, mcp: { http: { tls: { key: 'key.pem' } } } },
    ['missing-key gateway.tls (0)', 'missing-key mcp.http.tls (0)'],
  ],
  [
    'two listeners on one port',
    { gateway: { port: 9000, admin: { port: 9000 } } },
    ['port-shared gateway.admin.port (1)'],
  ],
  [
    'a second listener on the default port, everywhere',
    { gateway: { admin: { host: '0.0.0.0', port: 8787 } } },
    ['port-shared gateway.admin.port (0)'],
  ],
  [
    'secrets of providers that are not declared, or of another kind',
    {
      secrets: { providers: { vault: { source: 'file', path: '/x' } } },
      models: {
        providers: {
          a: { api: 'openai', apiKey: { source: 'file', provider: 'valt', id: '/a' } },
          b: { api: 'openai', apiKey: { source: 'exec', provider: 'vault', id: 'a' } },
          c: { api: 'openai', apiKey: { source: 'env', provider: 'other', id: 'A' } },
          d: { api: 'openai', apiKey: 'env:FINE' },
          e: { api: 'openai', apiKey: { source: 'file', provider: 'vault', id: '/a' } },
        },
      },
    },
    [
      'unknown-secret-provider models.providers.a.apiKey (0)',
      'unknown-secret-provider models.providers.b.apiKey (0)',
      'unknown-secret-provider models.providers.c.apiKey (0)',
    ],
  ],
  [
    'times that no timer can wait for',
    {
      plugins: { entries: { webhooks: { config: { limits: { bodyTimeoutSeconds: 2_147_484 } } } } },
      flows: { runtimes: { subagent: { timeoutSeconds: 9e9 } } },
      memory: { ext: { limits: { timeoutMs: 2 ** 31 } } },
    },
    [
      'invalid-value plugins.entries.webhooks.config.limits.bodyTimeoutSeconds (0)',
      'invalid-value flows.runtimes.subagent.timeoutSeconds (0)',
      'invalid-value memory.ext.limits.timeoutMs (0)',
    ],
  ],
  [
    'secrets that are blank or have spaces around them',
    {
      models: {
        providers: {
          a: { api: 'openai', apiKey: '   ' },
          b: { api: 'openai', headers: { 'x-key': 'abc\n' } },
        },
      },
    },
    [
      'invalid-value models.providers.a.apiKey (0)',
      'invalid-value models.providers.b.headers.x-key (0)',
    ],
  ],
  [
    'a fallback equal to the provider',
    search({ provider: 'openai', fallback: 'openai' }),
    ['fallback-is-provider agents.defaults.memorySearch.fallback (1)'],
  ],
  [
    'a fallback that is another name of the provider',
    search({ provider: 'general-vendor', fallback: 'openai' }),
    ['fallback-is-provider agents.defaults.memorySearch.fallback (1)'],
  ],
  [
    'readers of transcripts that there are not',
    { sessions: { readers: ['codecs', { id: 'nobody', path: '/x' }, 'svc'] } },
    ['unknown-reader sessions.readers[0] (0)', 'unknown-reader sessions.readers[1].id (0)'],
  ],
  [
    'weights that are both 0',
    search({ query: { hybrid: { vectorWeight: 0, textWeight: 0 } } }),
    ['weights-sum-zero agents.defaults.memorySearch.query.hybrid.vectorWeight (1)'],
  ],
  [
    'an overlap as long as a chunk',
    search({ chunking: { tokens: 100, overlap: 100 } }),
    ['overlap-exceeds-chunk agents.defaults.memorySearch.chunking.overlap (1)'],
  ],
  [
    'chunks smaller than the default overlap',
    search({ chunking: { tokens: 40 } }),
    ['overlap-exceeds-chunk agents.defaults.memorySearch.chunking.tokens (0)'],
  ],
  [
    'two routes on one path',
    webhooks({ a: route('/hooks/x'), b: route('hooks/x/') }),
    ['duplicate-route-path plugins.entries.webhooks.config.routes.b.path (1)'],
  ],
  [
    'a route on the default path of another one',
    webhooks({ a: route(), b: route('/plugins/webhooks/a') }),
    ['duplicate-route-path plugins.entries.webhooks.config.routes.b.path (1)'],
  ],
  [
    'two routes on one path, once with escapes',
    webhooks({ 'a b': route(), c: route('/plugins/webhooks/a%20b') }),
    ['duplicate-route-path plugins.entries.webhooks.config.routes.c.path (1)'],
  ],
  [
    'two agents with one id',
    { agents: { list: [{ id: 'a' }, { id: 'a' }] } },
    ['duplicate-agent agents.list[1].id (1)'],
  ],
  [
    'two default agents',
    {
      agents: {
        list: [
          { id: 'a', default: true },
          { id: 'b', default: true },
        ],
      },
    },
    ['duplicate-default-agent agents.list[1].default (1)'],
  ],
  [
    'media with an adapter that is blind to them',
    search({ provider: 'mistral', multimodal: { enabled: true } }),
    ['multimodal-unsupported agents.defaults.memorySearch.provider (1)'],
  ],
  [
    'media with a fallback that is blind to them',
    search({ provider: 'gemini', fallback: 'openai', multimodal: { enabled: true } }),
    ['multimodal-unsupported agents.defaults.memorySearch.fallback (1)'],
  ],
  [
    'dimensions that the default model has not',
    search({ provider: 'bedrock', outputDimensionality: 300 }),
    ['dimensions-unsupported agents.defaults.memorySearch.outputDimensionality (1)'],
  ],
  [
    'dimensions for a model with one size',
    search({
      provider: 'bedrock',
      model: 'amazon.titan-embed-text-v1:0:8k',
      outputDimensionality: 1024,
    }),
    ['dimensions-unsupported agents.defaults.memorySearch.outputDimensionality (2)'],
  ],
  [
    'dimensions for a model behind an inference profile',
    search({
      provider: 'bedrock',
      model: 'jp.amazon.nova-2-multimodal-embeddings-v1:0',
      outputDimensionality: 512,
    }),
    ['dimensions-unsupported agents.defaults.memorySearch.outputDimensionality (2)'],
  ],
  [
    'dimensions for the model that an ARN is said to be for',
    search({
      provider: 'bedrock',
      model: 'arn:aws:bedrock:us-east-1:1:application-inference-profile/a1#cohere.embed-english-v3',
      outputDimensionality: 512,
    }),
    ['dimensions-unsupported agents.defaults.memorySearch.outputDimensionality (2)'],
  ],
  [
    'dimensions for a default model with one size',
    search({ provider: 'mistral', outputDimensionality: 512 }),
    ['dimensions-unsupported agents.defaults.memorySearch.outputDimensionality (1)'],
  ],
  [
    'dimensions that would be filled up with zeros',
    search({ provider: 'deepinfra', outputDimensionality: 2048 }),
    ['dimensions-unsupported agents.defaults.memorySearch.outputDimensionality (1)'],
  ],
  [
    'more dimensions than the default tag of an Ollama model has',
    search({ provider: 'ollama', model: 'nomic-embed-text:latest', outputDimensionality: 1024 }),
    ['dimensions-unsupported agents.defaults.memorySearch.outputDimensionality (2)'],
  ],
  [
    'dimensions that the model of an entry has not',
    {
      ...search({ provider: 'corp', outputDimensionality: 512 }),
      models: {
        providers: { corp: { api: 'openai', models: [{ id: 'corp/text-embedding-ada-002' }] } },
      },
    },
    ['dimensions-unsupported agents.defaults.memorySearch.outputDimensionality (2)'],
  ],
  [
    'a schedule for the 31st of February',
    dreaming('0 3 31 2 *'),
    ['cron-never-fires plugins.entries.memory-core.config.dreaming.frequency (0)'],
  ],
  [
    'a schedule that cannot be read',
    dreaming('every night'),
    ['cron-never-fires plugins.entries.memory-core.config.dreaming.frequency (0)'],
  ],
];

for (const [name, config, expected] of FAULTS) {
  test(`${name} is a fault`, () => {
    assert.equal(
      faultsOf(config).map(({ code, path, related = [] }) => `${code} ${path} (${related.length})`),
      expected,
    );
  });
}

const FINE: Readonly<Record<string, unknown>> = {
  'a reranker whose entry has its address': {
    ...search({ query: { rerank: { provider: 'compatible' } } }),
    models: { providers: { compatible: { baseUrl: 'http://127.0.0.1:8080' } } },
  },
  'a provider of one’s own': {
    ...search({ provider: 'own' }),
    models: { providers: { own: { api: 'ollama' } } },
  },
  'provider auto without a fallback': search({ provider: 'auto', fallback: 'none' }),
  'words alone': search({ provider: 'none', fallback: 'none' }),
  'one weight of 0': search({ query: { hybrid: { vectorWeight: 0 } } }),
  'media with provider auto': search({ multimodal: { enabled: true } }),
  'media with the adapter that sees them': search({
    provider: 'multimodal-vendor',
    model: 'gemini-embedding-2',
    multimodal: { enabled: true },
  }),
  'dimensions that the model has': search({ provider: 'bedrock', outputDimensionality: 256 }),
  'the one size that a model has': search({ provider: 'mistral', outputDimensionality: 1024 }),
  'dimensions of Mistral’s code model': search({
    provider: 'mistral',
    model: 'codestral-embed',
    outputDimensionality: 3072,
  }),
  'dimensions of an Ollama model': search({ provider: 'ollama', outputDimensionality: 256 }),
  'dimensions at GitHub Copilot, whose models are asked for': search({
    provider: 'github-copilot',
    outputDimensionality: 512,
  }),
  'dimensions of a model that is not known here': search({
    provider: 'openai',
    model: 'own-model',
    outputDimensionality: 7,
  }),
  'an agent that fixes what the defaults leave open': {
    agents: {
      defaults: { memorySearch: { chunking: { tokens: 100, overlap: 20 } } },
      list: [{ id: 'a', memorySearch: { chunking: { tokens: 50 } } }],
    },
  },
  'a schedule on the 29th of February': dreaming('0 3 29 2 *'),
};

for (const [name, config] of Object.entries(FINE)) {
  test(`${name} is valid`, () => {
    assert.equal(faultsOf(config), []);
    assert.equal(warningsOf(config), []);
  });
}

test('a fault caused by an agent’s override is reported there, with the location in the defaults', () => {
  const text = `{ "agents": {
  "defaults": { "memorySearch": { "chunking": { "overlap": 60 } } },
  "list": [{ "id": "a", "memorySearch": { "chunking": { "tokens": 50 } } }]
} }`;
  const faults = checkConfigText('f', text).faults;
  assert.is(faults.length, 1);
  assert.is(faults[0]?.code, 'overlap-exceeds-chunk');
  const places = [faults[0]?.location.line, ...(faults[0]?.related ?? []).map(({ line }) => line)];
  assert.equal(places.toSorted(), [2, 3]);
});

test('a fault that agents only inherit is reported once', () => {
  const agents = [{ id: 'a', memorySearch: { enabled: true } }, { id: 'b' }];
  const config = {
    agents: { defaults: { memorySearch: { provider: 'opnai' } }, list: agents },
  };
  assert.is(faultsOf(config).length, 1);
});

test('short plain-text secrets are warned about', () => {
  const config = {
    ...webhooks({
      a: { sessionKey: 's', secret: 'short' },
      b: { sessionKey: 's', secret: 'env:B' },
      env: { sessionKey: 's', secret: 'short too' },
      headers: { sessionKey: 's', secret: 'as short' },
    }),
    models: {
      providers: { x: { api: 'openai', apiKey: 'short' }, y: { api: 'ollama', apiKey: 'x' } },
    },
    flows: { notify: { url: 'https://receiver.example', secret: 'x'.repeat(24) } },
  };
  assert.equal(faultsOf(config), []);
  assert.equal(
    warningsOf(config).map(({ code, path }) => `${code} ${path}`),
    [
      ...['a', 'env', 'headers'].map(
        (id) => `weak-secret plugins.entries.webhooks.config.routes.${id}.secret`,
      ),
      'weak-secret models.providers.x.apiKey',
    ],
  );
});

test('a variable that is written as in a shell is a warning, however long', () => {
  const providers = {
    x: { api: 'openai', apiKey: '$OPENAI_API_KEY_OF_THE_WHOLE_COMPANY' },
    y: { api: 'openai', apiKey: '$' + '{OPENAI_API_KEY}' },
    z: { api: 'ollama', apiKey: '$KEY' },
  };
  assert.equal(
    warningsOf({ models: { providers } }).map(({ path, expected }) => `${path}: ${expected}`),
    [
      'models.providers.x.apiKey: "env:OPENAI_API_KEY_OF_THE_WHOLE_COMPANY"',
      'models.providers.z.apiKey: "env:KEY"',
    ],
  );
});

test('an entry named like a value of provider that means something else is warned about', () => {
  const config = {
    ...search({ provider: 'none', fallback: 'none' }),
    models: { providers: { auto: { api: 'openai' }, none: { api: 'chat-only' } } },
  };
  assert.equal(faultsOf(config), []);
  assert.equal(
    warningsOf(config).map(({ code, path }) => `${code} ${path}`),
    ['setting-unused models.providers.auto', 'setting-unused models.providers.none'],
  );
});

test('a variable of a program that looks like a reference is warned about', () => {
  const runtimes = {
    acp: { command: ['agent'], env: { KEY: 'env:AGENT_KEY', MODE: 'env:fast', URL: 'http://e' } },
  };
  const vault = { source: 'exec', command: '/bin/vault', env: { TOKEN: '$' + '{VAULT_TOKEN}' } };
  assert.equal(
    warningsOf({ flows: { runtimes }, secrets: { providers: { vault } } }).map(
      ({ code, path, expected }) => `${code} ${path}: ${expected}`,
    ),
    [
      'variable-is-reference flows.runtimes.acp.env.KEY: the value itself',
      'variable-is-reference secrets.providers.vault.env.TOKEN: "VAULT_TOKEN" in passEnv instead',
    ],
  );
});

test('the URL of a server is a reference, or has no password', () => {
  const codesOf = (url: string): readonly string[] =>
    warningsOf({ storage: { url } }).map(({ code, path }) => `${code} ${path}`);
  for (const url of ['postgres://ada:secret-word@db/svc', 'postgres://ada@db/svc?password=x']) {
    assert.equal(codesOf(url), ['plain-password storage.url']);
  }
  for (const url of ['env:SVC_DATABASE_URL', 'postgres://ada@db/svc'])
    assert.equal(codesOf(url), []);
});

test('a server is one of PostgreSQL', () => {
  for (const url of ['jdbc:postgresql://db/svc', 'postgresql+psycopg://ada@db/svc', 'db']) {
    assert.equal(
      faultsOf({ storage: { url } }).map(({ code, path }) => `${code} ${path}`),
      ['invalid-value storage.url'],
    );
  }
  for (const url of ['env:URL', 'POSTGRESQL://ada@db/svc']) {
    assert.equal(faultsOf({ storage: { url } }), []);
  }
});

test('notifications go to one place, signed, and over a network encrypted', () => {
  const codesOf = (notify: object): readonly string[] =>
    faultsOf({ flows: { notify } }).map(({ code, path }) => `${code} ${path}`);
  const secret = 'env:NOTIFY_SECRET';
  for (const url of [
    'https://a.example/x',
    'http://127.0.0.1:1/',
    'http://[::1]/',
    'http://localhost/',
  ]) {
    assert.equal(codesOf({ url, secret }), [], url);
  }
  assert.equal(codesOf({ command: ['notify'] }), []);
  assert.equal(codesOf({ url: 'https://a.example/' }), ['notify-unsigned flows.notify.url']);
  assert.equal(codesOf({ url: 'http://a.example/', secret }), ['notify-insecure flows.notify.url']);
  assert.equal(codesOf({ url: 'https://a.example/', secret, command: ['notify'] }), [
    'notify-ambiguous flows.notify.url',
  ]);
  // A target needs a receiver and an id of its own; the receiver of flows.notify itself has the id "default".
  const targets = ['default', 'a', 'a'].map((id) => ({ id, command: ['notify'] }));
  assert.equal(codesOf({ command: ['notify'], targets }), [
    'duplicate-target flows.notify.targets[0].id',
    'duplicate-target flows.notify.targets[2].id',
  ]);
  assert.equal(codesOf({ targets: [{ id: 'default' }] }), ['missing-key flows.notify.targets[0]']);
});

test('a target for a route that does not exist is warned about, with the name that was meant', () => {
  const route = { sessionKey: 'agent:main:main', secret: 'env:SECRET' };
  const target = (routes: readonly string[]) => ({ id: 'a', command: ['notify'], routes });
  const warningsFor = (routes: readonly string[]) =>
    warningsOf({
      flows: { notify: { targets: [target(routes)] } },
      plugins: { entries: { webhooks: { enabled: true, config: { routes: { github: route } } } } },
    }).map(({ code, path, message, suggestion }) => [`${code} ${path}`, message, suggestion]);
  assert.equal(warningsFor(['github']), []);
  assert.equal(warningsFor(['github', 'gitub']), [
    [
      'unknown-route flows.notify.targets[0].routes[1]',
      'there is no webhook route "gitub"',
      'github',
    ],
  ]);
});

test('paths that lead out of the folder of the file are warned about', () => {
  const config = {
    agents: {
      defaults: { workspace: 'a/../../b', memorySearch: { store: { path: './in/../x' } } },
      list: [{ id: 'a', workspace: '/abs/../x', memorySearch: { store: { path: '../x' } } }],
    },
  };
  assert.equal(
    warningsOf(config).map(({ path }) => path),
    ['agents.defaults.workspace', 'agents.list[0].memorySearch.store.path'],
  );
});

test('half-enabled sessions are warned about', () => {
  const config = (memorySearch: object) =>
    warningsOf(search(memorySearch)).map(({ code, path }) => `${code} ${path}`);
  const at = 'sessions-half-on agents.defaults.memorySearch';
  const on = { experimental: { sessionMemory: true } };
  assert.equal(config({ sources: ['memory', 'sessions'] }), [`${at}.sources`]);
  assert.equal(config(on), [`${at}.experimental.sessionMemory`]);
  assert.equal(config({ ...on, sources: ['sessions'] }), []);
  const agent = (memorySearch: object) => {
    const list = [{ id: 'a', memorySearch }];
    const defaults = { memorySearch: { ...on, sources: ['memory', 'sessions'] } };
    return warningsOf({ agents: { defaults, list } });
  };
  assert.equal(agent({ sources: ['memory'] }), [], 'an agent that leaves them out');
  assert.equal(agent({ experimental: { sessionMemory: false } }), []);
});

test('dimensions are checked for the model of an entry, not for that of its adapter', () => {
  const models = [{ id: 'text-embedding-3-large' }];
  const config = {
    ...search({ provider: 'corp', outputDimensionality: 3072 }),
    models: { providers: { corp: { api: 'openai', models } } },
  };
  assert.equal(faultsOf(config), []);
});

test('dimensions that the adapter ignores are warned about', () => {
  for (const provider of ['lmstudio', 'local']) {
    const config = search({ provider, outputDimensionality: 512 });
    assert.equal(faultsOf(config), []);
    assert.equal(
      warningsOf(config).map(({ code }) => code),
      ['dimensions-unsupported'],
      provider,
    );
  }
});

/** What is written, and the places that have no effect. */
const CONVERSATIONS = {
  sources: ['memory', 'sessions'],
  experimental: { sessionMemory: true },
};

const UNUSED: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['a label for OpenAI itself', search({ provider: 'openai', inputType: 'query' }), ['inputType']],
  [
    'a label for a compatible endpoint',
    search({ provider: 'openai', inputType: 'x', remote: { baseUrl: 'https://e.example/v1' } }),
    [],
  ],
  ['a label of Voyage', search({ provider: 'voyage', queryInputType: 'document' }), []],
  ['a label that Voyage has not', search({ provider: 'voyage', inputType: 'x' }), ['inputType']],
  [
    'a label of Cohere on Bedrock',
    search({ provider: 'bedrock', model: 'us.cohere.embed-v4:0', inputType: 'clustering' }),
    [],
  ],
  [
    'labels that Cohere on Bedrock has not',
    search({
      provider: 'bedrock',
      model: 'us.cohere.embed-v4:0',
      queryInputType: 'query',
      documentInputType: 'search_document',
    }),
    ['queryInputType'],
  ],
  ['a label for Titan', search({ provider: 'bedrock', inputType: 'query' }), ['inputType']],
  [
    'labels for Mistral',
    search({ provider: 'mistral', documentInputType: 'x' }),
    ['documentInputType'],
  ],
  ['a model for local', search({ provider: 'local', model: 'm' }), ['model']],
  [
    'an address, a key and headers for local',
    search({
      provider: 'local',
      remote: { baseUrl: 'http://127.0.0.1:1', apiKey: 'env:KEY', headers: { 'X-A': 'env:A' } },
    }),
    ['remote.baseUrl', 'remote.apiKey', 'remote.headers'],
  ],
  [
    'a label for OpenAI itself, whose address is written out',
    search({
      provider: 'openai',
      inputType: 'query',
      remote: { baseUrl: 'https://api.openai.com/v1/' },
    }),
    ['inputType'],
  ],
  [
    'images for an entry with a model of text',
    {
      ...search({ provider: 'g', multimodal: { enabled: true, modalities: ['all'] } }),
      models: { providers: { g: { api: 'gemini', models: [{ id: 'gemini-embedding-001' }] } } },
    },
    ['multimodal.enabled'],
  ],
  [
    'batch where there is none',
    search({ provider: 'mistral', remote: { batch: { enabled: true } } }),
    ['remote.batch.enabled'],
  ],
  ['batch', search({ provider: 'voyage', remote: { batch: { enabled: true } } }), []],
  [
    'images for a model of text',
    search({
      provider: 'gemini',
      model: 'gemini-embedding-001',
      multimodal: { enabled: true, modalities: ['all'] },
    }),
    ['multimodal.enabled'],
  ],
  [
    'images without a model',
    search({ provider: 'gemini', multimodal: { enabled: true, modalities: ['all'] } }),
    [],
  ],
  [
    'images for a model that takes them',
    search({
      provider: 'gemini',
      model: 'gemini-embedding-2',
      multimodal: { enabled: true, modalities: ['all'] },
    }),
    [],
  ],
  [
    'settings of a feature that is off',
    search({ cache: { enabled: false, maxEntries: 9 }, query: { hybrid: { mmr: { lambda: 1 } } } }),
    ['cache.maxEntries', 'query.hybrid.mmr.lambda'],
  ],
  [
    'a multiplier below the minimum of candidates',
    search({ query: { maxResults: 5, hybrid: { candidateMultiplier: 4 } } }),
    ['query.hybrid.candidateMultiplier'],
  ],
  [
    'a multiplier that reaches the minimum',
    search({ query: { maxResults: 3, hybrid: { candidateMultiplier: 8 } } }),
    [],
  ],
  [
    'limits of a reranker that is off',
    search({ query: { rerank: { topN: 9 } } }),
    ['query.rerank.topN'],
  ],
  [
    'an address for a chat model as a reranker',
    search({
      query: {
        rerank: { provider: 'chat', model: 'openai/m', remote: { baseUrl: 'http://127.0.0.1:1' } },
      },
    }),
    ['query.rerank.remote'],
  ],
  [
    'settings of a provider without a provider',
    search({ provider: 'none', model: 'm', remote: { baseUrl: 'http://127.0.0.1:1' } }),
    ['model', 'remote.baseUrl'],
  ],
  [
    'a fallback and limits of a provider without a provider',
    search({ provider: 'none', fallback: 'openai', query: { timeoutSeconds: 9 } }),
    ['fallback', 'query.timeoutSeconds'],
  ],
  ['no fallback without a provider', search({ provider: 'none', fallback: 'none' }), []],
  [
    'limits of an archive that is not kept',
    search({ ...CONVERSATIONS, sync: { sessions: { maxAgeDays: 9, maxBytes: 9 } } }),
    ['sync.sessions.maxAgeDays', 'sync.sessions.maxBytes'],
  ],
  [
    'limits of an archive',
    search({ ...CONVERSATIONS, sync: { sessions: { retention: 'keep', maxBytes: 9 } } }),
    [],
  ],
  [
    'times of syncs with the external backend',
    {
      ...search({ sync: { intervalMinutes: 5, watchDebounceMs: 9, watch: false } }),
      memory: { backend: 'ext' },
    },
    ['sync.intervalMinutes', 'sync.watchDebounceMs'],
  ],
  [
    'a time without output that is longer than the time limit',
    {
      secrets: {
        providers: {
          longer: { source: 'exec', command: '/x', timeoutMs: 1000, noOutputTimeoutMs: 1001 },
          default: { source: 'exec', command: '/x', noOutputTimeoutMs: 5001 },
          shorter: { source: 'exec', command: '/x', noOutputTimeoutMs: 5000 },
        },
      },
    },
    ['longer', 'default'].map((alias) => `secrets.providers.${alias}.noOutputTimeoutMs`),
  ],
  ['settings of a missing server', { storage: { poolSize: 5 } }, ['storage.poolSize']],
  ['settings of a server', { storage: { url: 'env:DATABASE_URL', poolSize: 5 } }, []],
  [
    'a key for notifications that a program gets',
    { flows: { notify: { command: ['notify'], secret: 'env:NOTIFY' } } },
    ['flows.notify.secret'],
  ],
  [
    'a model for the diary that is not allowed',
    { plugins: { entries: { 'memory-core': { config: { dreaming: { model: 'a/b' } } } } } },
    ['plugins.entries.memory-core.config.dreaming.model'],
  ],
  [
    'a model for the diary that is not in the list of allowed models',
    {
      plugins: {
        entries: {
          'memory-core': {
            config: { dreaming: { model: 'a/b' } },
            subagent: { allowModelOverride: true, allowedModels: ['a/c'] },
          },
        },
      },
    },
    ['plugins.entries.memory-core.config.dreaming.model'],
  ],
  [
    'a model for the diary that is allowed',
    {
      plugins: {
        entries: {
          'memory-core': {
            config: { dreaming: { model: 'a/b' } },
            subagent: { allowModelOverride: true },
          },
        },
      },
    },
    [],
  ],
  [
    'active memory for agents that do not exist',
    {
      agents: { list: [{ id: 'research' }] },
      plugins: {
        entries: {
          'active-memory': { enabled: true, config: { agents: ['main', 'research', 'resaerch'] } },
        },
      },
    },
    [0, 2].map((at) => `plugins.entries.active-memory.config.agents[${at}]`),
  ],
  [
    'active memory for the only agent, which is not listed',
    { plugins: { entries: { 'active-memory': { enabled: true, config: { agents: ['main'] } } } } },
    [],
  ],
  ['few results with the default multiplier', search({ query: { maxResults: 2 } }), []],
  [
    'permissions of programs that are no agents',
    {
      flows: {
        runtimes: {
          subagent: { command: ['x'], permissions: 'deny' },
          acp: { command: ['x'], permissions: 'deny' },
        },
      },
    },
    ['flows.runtimes.subagent.permissions'],
  ],
  [
    'a format of a log that only goes to a file',
    { logging: { file: '/var/log/svc.log', format: 'pretty' } },
    ['logging.format'],
  ],
  ['a format of a log on stderr', { logging: { format: 'pretty' } }, []],
];

for (const [what, config, keys] of UNUSED) {
  test(`without effect: ${what}`, () => {
    assert.equal(faultsOf(config), []);
    const found = warningsOf(config).filter(({ code }) => code === 'setting-unused');
    assert.equal(
      found.map(({ path }) => path.replace('agents.defaults.memorySearch.', '')),
      keys,
    );
  });
}

test('settings of the external backend have no effect on the builtin one, but for the scope', () => {
  const ext = { command: 'qmd', scope: { default: 'allow' } };
  const pathsOf = (memory: unknown) => warningsOf({ memory }).map(({ path }) => path);
  assert.equal(pathsOf({ ext }), ['memory.ext.command']);
  const [both, ...others] = warningsOf({ memory: { ext: { ...ext, limits: { timeoutMs: 9 } } } });
  assert.match(both?.message ?? '', /^command, limits have no effect: /u);
  assert.equal(others, []);
  assert.equal(pathsOf({ backend: 'ext', ext }), []);
});

test('a setting of the defaults has an effect if one agent has its switch on', () => {
  const places = (cache: object, ...agents: readonly object[]): readonly string[] => {
    const list = agents.map((own, at) => ({ id: `a${at}`, memorySearch: { cache: own } }));
    return warningsOf({ agents: { defaults: { memorySearch: { cache } }, list } }).map(
      ({ path }) => path,
    );
  };
  const unused = ['agents.defaults.memorySearch.cache.maxEntries'];
  assert.equal(places({ maxEntries: 9 }, { enabled: true }), []);
  assert.equal(places({ maxEntries: 9, enabled: true }, { enabled: false }), []);
  assert.equal(places({ maxEntries: 9 }, { enabled: false }), unused);
  assert.equal(places({ maxEntries: 9 }, { enabled: true, maxEntries: 5 }), unused);
  assert.equal(places({}, { maxEntries: 5 }), ['agents.list[0].memorySearch.cache.maxEntries']);
});

test('settings for conversations that are not searched have no effect', () => {
  const imports = ['~/export.zip'];
  const on = { sources: ['memory', 'sessions'], experimental: { sessionMemory: true } };
  const places = (own: object, agent: object = {}, memory: object = {}): readonly string[] => {
    const defaults = { memorySearch: { sync: { sessions: { imports, deltaBytes: 9 } }, ...own } };
    const config = { agents: { defaults, list: [{ id: 'a', memorySearch: agent }] }, memory };
    return warningsOf(config).map(({ path }) => path.replace('agents.defaults.memorySearch.', ''));
  };
  assert.equal(places({}), ['sync.sessions.imports', 'sync.sessions.deltaBytes']);
  assert.equal(places(on), []);
  // An agent inherits them.
  assert.equal(places({}, on), []);
  assert.equal(places({ sources: ['memory', 'sessions'] }), ['sources']);
  const ext = (enabled: boolean) => ({
    backend: 'ext',
    ext: { sessions: { enabled, retentionDays: 9 } },
  });
  assert.equal(places({}, {}, ext(true)), []);
  assert.equal(places(on, {}, ext(false)), ['memory.ext.sessions.retentionDays']);
  // All of it has no effect on the builtin backend, which is reported once.
  assert.equal(places(on, {}, { ...ext(false), backend: 'builtin' }), ['memory.ext.sessions']);
});

test('an agent with a provider of its own should not inherit the model of another', () => {
  const config = (own: object) => ({
    agents: {
      defaults: { memorySearch: { provider: 'openai', model: 'text-embedding-3-large' } },
      list: [{ id: 'a', memorySearch: { provider: 'voyage', ...own } }],
    },
  });
  assert.equal(
    warningsOf(config({})).map(({ code, path }) => [code, path]),
    [['setting-unused', 'agents.list[0].memorySearch.provider']],
  );
  assert.equal(warningsOf(config({ model: 'voyage-4' })), []);
  for (const provider of ['auto', 'none'])
    assert.equal(warningsOf(config({ provider })), [], provider);
  const remote = { baseUrl: 'https://e.example/v1', apiKey: 'env:K', headers: { 'X-K': 'env:K' } };
  const defaults = { memorySearch: { provider: 'openai', remote } };
  const list = [{ id: 'a', memorySearch: { provider: 'voyage' } }];
  assert.equal(
    warningsOf({ agents: { defaults, list } }).map(
      ({ message }) => / (remote\S+),/.exec(message)?.[1],
    ),
    ['remote.baseUrl', 'remote.apiKey', 'remote.headers'],
  );
  // Once, and not at the defaults, where the model is used.
  assert.equal(
    warningsOf(config({ provider: 'local' })).map(({ path }) => path),
    ['agents.list[0].memorySearch.provider'],
  );
});

test('an agent with a reranker of its own should not inherit model and address of another', () => {
  const warned = (rerank: object, own: object) => {
    const defaults = { memorySearch: { query: { rerank } } };
    const list = [{ id: 'a', memorySearch: { query: { rerank: own } } }];
    return warningsOf({ agents: { defaults, list } }).map(
      ({ message }) => /inherits query\.rerank\.(\S+),/.exec(message)?.[1],
    );
  };
  const remote = { baseUrl: 'https://e.example', apiKey: 'env:K' };
  const server = { provider: 'compatible', model: 'bge', remote };
  assert.equal(warned(server, { provider: 'cohere' }), [
    'model',
    'remote.baseUrl',
    'remote.apiKey',
  ]);
  assert.equal(warned(server, { model: 'other' }), []);
  assert.equal(warned(server, { provider: 'none' }), []);
  assert.equal(
    warned({ provider: 'voyage', model: 'rerank-2' }, { provider: 'chat', model: 'openai/m' }),
    [],
  );
  // Set up for the agents that turn it on.
  assert.equal(warned({ provider: 'none', model: 'rerank-v3.5' }, { provider: 'cohere' }), []);
});

test.run();
