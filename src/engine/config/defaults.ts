/**
 * Every default of the configuration, as plain data. Nothing here may import zod: starting without
 * a configuration file loads no schema.
 *
 * Sources: spec/memory-search §2, spec/webhooks §2, configuration reference for the rest.
 */
import type { ConfigPath } from './config-path.js';
import type { ConfigInput } from './schema/index.js';

/** `agents.defaults.memorySearch`; keys without a fixed default are in {@link COMPUTED_DEFAULTS}. */
export const MEMORY_SEARCH_DEFAULTS = {
  enabled: true,
  provider: 'auto',
  fallback: 'none',
  sources: ['memory'],
  extraPaths: [],
  exclude: [],
  documents: [],
  remote: {
    batch: { enabled: false, concurrency: 2, wait: true, timeoutMinutes: 60 },
    headers: {},
  },
  local: { contextSize: 4096 },
  chunking: { tokens: 400, overlap: 80 },
  query: {
    maxResults: 6,
    minScore: 0.25,
    snippetChars: 800,
    hybrid: {
      enabled: true,
      vectorWeight: 0.7,
      textWeight: 0.3,
      candidateMultiplier: 4,
      mmr: { enabled: false, lambda: 0.7 },
      temporalDecay: { enabled: false, halfLifeDays: 30 },
    },
    rerank: {
      provider: 'none',
      topN: 30,
      remote: { headers: {} },
      budget: { charsPerSearch: 100_000 },
    },
  },
  sync: {
    onSearch: true,
    onSessionStart: true,
    watch: true,
    watchDebounceMs: 1500,
    intervalMinutes: 0,
    sessions: {
      deltaBytes: 100_000,
      deltaMessages: 50,
      postCompactionForce: true,
      retention: 'follow',
      maxAgeDays: 0,
      maxBytes: 0,
      imports: [],
    },
  },
  multimodal: { enabled: false, maxFileBytes: 10_000_000 },
  cache: { enabled: false, maxEntries: 50_000 },
  experimental: { sessionMemory: false },
  store: { driver: 'sqlite', vector: { enabled: true }, fts: { tokenizer: 'unicode61' } },
  ext: { extraCollections: [] },
} as const;

/** Minimum of candidates to rank, whatever `candidateMultiplier` is. */
export const MIN_CANDIDATES = 24;

/** Fixed defaults of the whole tree, without those of entries of maps and lists. */
export const CONFIG_DEFAULTS = {
  agents: { defaults: { memorySearch: MEMORY_SEARCH_DEFAULTS } },
  // spec §2.12
  memory: {
    backend: 'builtin',
    citations: 'auto',
    searchLog: false,
    ext: {
      command: 'qmd',
      searchMode: 'search',
      includeDefaultMemory: true,
      paths: [],
      sessions: { enabled: false },
      update: {
        interval: '5m',
        debounceMs: 15_000,
        onBoot: true,
        embedInterval: '60m',
        commandTimeoutMs: 30_000,
        updateTimeoutMs: 120_000,
        embedTimeoutMs: 120_000,
      },
      limits: { maxResults: 6, timeoutMs: 4000, maxSnippetChars: 450, maxInjectedChars: 2200 },
      scope: {
        default: 'deny',
        rules: [
          { action: 'allow', match: { chatType: 'direct' } },
          { action: 'allow', match: { chatType: 'channel' } },
        ],
      },
    },
  },
  sessions: { readers: ['svc'] },
  plugins: {
    entries: {
      // spec §2.13
      'memory-core': {
        config: {
          dreaming: {
            enabled: false,
            frequency: '0 3 * * *',
            verboseLogging: false,
            storage: { mode: 'separate', separateReports: false },
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
                maxMemoryChars: 20_000,
                maxPromotedSnippetTokens: 160,
                maxPriorEntryLossFraction: 0.25,
              },
            },
          },
        },
        subagent: { allowModelOverride: false, allowedModels: [] },
      },
      'active-memory': {
        enabled: false,
        config: {
          enabled: true,
          agents: [],
          modelFallbackPolicy: 'default-remote',
          allowedChatTypes: ['direct'],
          allowedChatIds: [],
          deniedChatIds: [],
          thinking: 'off',
          timeoutMs: 15_000,
          setupGraceTimeoutMs: 0,
          queryMode: 'recent',
          maxSummaryChars: 220,
          recentUserTurns: 2,
          recentAssistantTurns: 1,
          recentUserChars: 220,
          recentAssistantChars: 180,
          cacheTtlMs: 15_000,
          circuitBreakerMaxTimeouts: 3,
          circuitBreakerCooldownMs: 60_000,
          logging: false,
          persistTranscripts: false,
          transcriptDir: 'active-memory',
          ext: { searchMode: 'search' },
        },
      },
      // spec/webhooks §2, §8
      webhooks: {
        enabled: false,
        config: {
          limits: {
            ratePerWindow: 120,
            windowSeconds: 60,
            inFlight: 8,
            bodyBytes: 262_144,
            bodyTimeoutSeconds: 15,
            trackedClients: 4096,
          },
          deliveries: { keep: 1000, days: 7, maxBodyBytes: 65_536, maxMegabytes: 64 },
          openapi: false,
        },
      },
    },
  },
  gateway: {
    host: '127.0.0.1',
    port: 8787,
    trustedProxies: [],
    drainSeconds: 20,
  },
  mcp: {
    write: false,
    http: {
      host: '127.0.0.1',
      port: 8788,
      trustedProxies: [],
      allowedOrigins: [],
      limits: { ratePerWindow: 300, windowSeconds: 60, trackedClients: 4096 },
    },
  },
  flows: {
    retentionDays: 7,
    idempotencyHours: 24,
    concurrency: 2,
    leaseSeconds: 60,
    orphans: 'requeue',
  },
  // Of a PostgreSQL server: they only apply with `url`.
  storage: {
    poolSize: 10,
    connectTimeoutSeconds: 5,
    statementTimeoutSeconds: 30,
  },
  secrets: {
    defaults: { env: 'default', file: 'default', exec: 'default' },
    resolution: { maxProviderConcurrency: 4, maxRefsPerProvider: 512, maxBatchBytes: 262_144 },
  },
  logging: {
    level: 'info',
    format: 'auto',
    accessLog: false,
    activity: true,
  },
  ui: { history: true, theme: 'auto', mouse: true },
} as const satisfies ConfigInput;

/** Missing keys of a `memory.ext.scope` in the file; the default scope does not apply to it. */
export const WRITTEN_SCOPE_DEFAULTS = { default: 'allow', rules: [] } as const;

/** One entry of `models.providers`. */
export const MODEL_PROVIDER_DEFAULTS = { headers: {}, models: [] } as const;

/** One entry of `plugins.entries.webhooks.config.routes`. */
export const ROUTE_DEFAULTS = {
  enabled: true,
  dedupeHours: 72,
  unmatched: 'ignore',
  acceptedStatus: 202,
} as const;

export const SCHEDULE_DEFAULTS = {
  enabled: true,
  action: 'create_flow',
  set: {},
  overlap: 'allow',
} as const;

/** `verify` of a route. */
export const VERIFY_DEFAULTS = { toleranceSeconds: 300 } as const;

/** `verify` of a route with the scheme `hmac`. */
export const HMAC_DEFAULTS = {
  ...VERIFY_DEFAULTS,
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: '',
  payload: '{body}',
} as const;

/** One entry of `flows.runtimes`. */
export const RUNTIME_DEFAULTS = {
  timeoutSeconds: 3600,
  maxAttempts: 3,
  permissions: 'deny',
} as const;

/** A `secrets.providers` entry whose `source` is `file`. */
export const FILE_PROVIDER_DEFAULTS = {
  mode: 'json',
  timeoutMs: 5000,
  maxBytes: 1_048_576,
  allowInsecurePath: false,
} as const;

/** A `secrets.providers` entry whose `source` is `exec`. */
export const EXEC_PROVIDER_DEFAULTS = {
  args: [],
  timeoutMs: 5000,
  maxOutputBytes: 1_048_576,
  jsonOnly: true,
  passEnv: [],
  trustedDirs: [],
  allowInsecurePath: false,
  allowSymlinkCommand: false,
} as const;

/**
 * Describes the defaults that are not fixed values. Keys are schema paths, in which `*` is any map
 * key or list position.
 */
export const COMPUTED_DEFAULTS: Readonly<Record<string, string>> = {
  'agents.defaults.workspace': '`~/.svc/workspace`',
  'agents.defaults.userTimezone': "the host's",
  'agents.list.*.default': 'the first agent',
  'agents.list.*.workspace': '`agents.defaults.workspace`',
  'agents.list.*.mcp.write': '`mcp.write`',
  'agents.list.*.memorySearch': '`agents.defaults.memorySearch`, field by field',
  'agents.defaults.memorySearch.model':
    "the provider's; with `multimodal.enabled`, its model for images and audio",
  'agents.defaults.memorySearch.outputDimensionality': "the model's",
  'agents.defaults.memorySearch.remote.baseUrl': "the provider's",
  'agents.defaults.memorySearch.remote.nonBatchConcurrency': '4, or 1 for `ollama`',
  'agents.defaults.memorySearch.remote.batch.pollIntervalMs': '2000, growing to 30,000',
  'agents.defaults.memorySearch.query.timeoutSeconds': '5; 30 for `local`, which loads its model',
  'agents.defaults.memorySearch.query.rerank.model':
    '`rerank-2.5` for `voyage`, `rerank-v3.5` for `cohere`, `jina-reranker-v3` for `jina`',
  'agents.defaults.memorySearch.query.rerank.timeoutMs': '5000; 30,000 for `local` and `chat`',
  'agents.defaults.memorySearch.query.rerank.remote.baseUrl': "the vendor's",
  'agents.defaults.memorySearch.query.rerank.budget.searchesPerDay': 'no limit',
  'agents.defaults.memorySearch.sync.embeddingBatchTimeoutSeconds':
    '600 for `local`, `ollama` and `lmstudio`, else 120',
  'agents.defaults.memorySearch.local.modelPath': 'a small embedding model, downloaded when needed',
  'agents.defaults.memorySearch.local.modelCacheDir': '`~/.svc/models`',
  'agents.defaults.memorySearch.queryInputType': '`inputType`',
  'agents.defaults.memorySearch.documentInputType': '`inputType`',
  'agents.defaults.memorySearch.store.path': '`~/.svc/memory/{agentId}.sqlite`',
  'agents.defaults.memorySearch.store.vector.extensionPath': 'the bundled one',
  'models.providers.*.api': 'the entry id',
  'models.providers.*.baseUrl': "the adapter's",
  'memory.ext.scope.default': '`"deny"`; `"allow"` if a scope omits it',
  'memory.ext.scope.rules':
    'direct and channel sessions are allowed; no rules if a scope omits them',
  'memory.ext.sessions.exportDir': '`~/.svc/agents/{agentId}/qmd/sessions`',
  'memory.ext.paths.*.pattern': '`**/*.md`',
  'plugins.entries.memory-core.config.dreaming.model':
    'the default model; svc has none, and writes the diary without a model',
  'plugins.entries.memory-core.config.dreaming.timezone': '`agents.defaults.userTimezone`',
  'plugins.entries.active-memory.config.model': 'the model of the turn',
  'plugins.entries.active-memory.config.promptStyle': 'follows `queryMode`',
  'plugins.entries.webhooks.config.routes.*.path': '`/plugins/webhooks/<routeId>`',
  'plugins.entries.webhooks.config.routes.*.controllerId': '`webhooks/<routeId>`',
  'storage.url': 'none: SQLite files on this machine',
  'storage.origin': 'the host name',
  'mcp.http.publicUrl': 'from `host` and `port`',
  'gateway.admin.host': 'the main listener',
  'gateway.admin.port': 'the main listener',
  'secrets.providers.*.noOutputTimeoutMs': '`timeoutMs`',
  'flows.runtimes.subagent.cwd': "the workspace of the task's agent",
  'flows.runtimes.acp.cwd': "the workspace of the task's agent",
};

/** Defaults in maps and lists, by schema path (`*` is any key or position). */
export const ENTRY_DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'plugins.entries.webhooks.config.routes.*': ROUTE_DEFAULTS,
  'plugins.entries.webhooks.config.routes.*.verify': HMAC_DEFAULTS,
  'schedules.*': SCHEDULE_DEFAULTS,
  'flows.runtimes.subagent': RUNTIME_DEFAULTS,
  'flows.runtimes.acp': RUNTIME_DEFAULTS,
  // Keys of both kinds have the same default.
  'secrets.providers.*': { ...FILE_PROVIDER_DEFAULTS, ...EXEC_PROVIDER_DEFAULTS },
};

/** The {@link COMPUTED_DEFAULTS} entry for a path. */
export function computedDefault(path: ConfigPath): string | undefined {
  const entry = Object.entries(COMPUTED_DEFAULTS).find(([pattern]) =>
    matchesPattern(path, pattern.split('.')),
  );
  return entry?.[1];
}

/** Whether a path matches a pattern, in which `*` is any key or list position. */
function matchesPattern(path: ConfigPath, pattern: readonly string[]): boolean {
  return (
    pattern.length === path.length && pattern.every((part, at) => part === '*' || part === path[at])
  );
}

/** Valid names in `sessions.readers`. */
export const SESSION_READERS = [
  'svc',
  'claude-code',
  'codex',
  'gemini-cli',
  'cursor',
  'opencode',
  'openclaw',
] as const;

export type SessionReaderId = (typeof SESSION_READERS)[number];

/** Whose data exports are read. */
export const EXPORT_FORMATS = ['chatgpt', 'claude'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function isSessionReader(name: string): name is SessionReaderId {
  return SESSION_READERS.some((reader) => reader === name);
}
