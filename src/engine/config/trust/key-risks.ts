import { isRecord } from '../../support/text.js';
import type { ConfigPath } from '../config-path.js';

/**
 * What a key in an untrusted configuration file can do. `harmless` keys always work. `risky` ones
 * can run a program, load code, read a secret, send data to a host, open svc to others, or access
 * files outside of the file's folder. `outside` is a path that is only risky outside of that
 * folder. A list contains the harmless values.
 */
export type KeyRisk = 'harmless' | 'risky' | 'outside' | readonly unknown[];

interface RiskGroup {
  readonly [key: string]: KeyRisk | RiskGroup;
}

/** `agents.defaults.memorySearch` and `agents.list[].memorySearch`. */
const MEMORY_SEARCH: RiskGroup = {
  ...harmless('enabled', 'model', 'outputDimensionality', 'sources', 'exclude'),
  ...harmless('inputType', 'queryInputType', 'documentInputType', 'respectGitignore', 'documents'),
  provider: ['auto', 'none'],
  fallback: ['none'],
  extraPaths: { '*': 'outside' },
  remote: {
    baseUrl: 'risky',
    apiKey: 'risky',
    headers: 'risky',
    nonBatchConcurrency: 'harmless',
    batch: harmless('enabled', 'concurrency', 'wait', 'pollIntervalMs', 'timeoutMinutes'),
  },
  local: { modelPath: 'risky', modelCacheDir: 'risky', contextSize: 'harmless' },
  chunking: harmless('tokens', 'overlap'),
  query: {
    ...harmless('maxResults', 'minScore', 'timeoutSeconds', 'snippetChars'),
    hybrid: {
      ...harmless('enabled', 'vectorWeight', 'textWeight', 'candidateMultiplier'),
      mmr: harmless('enabled', 'lambda'),
      temporalDecay: harmless('enabled', 'halfLifeDays'),
    },
    rerank: {
      provider: ['none'],
      // A file that is loaded, with the provider `local`.
      model: 'risky',
      ...harmless('topN', 'timeoutMs'),
      remote: 'risky',
      budget: harmless('charsPerSearch', 'searchesPerDay'),
    },
  },
  sync: {
    ...harmless('onSearch', 'onSessionStart', 'watch', 'watchDebounceMs', 'intervalMinutes'),
    embeddingBatchTimeoutSeconds: 'harmless',
    sessions: {
      ...harmless('deltaBytes', 'deltaMessages', 'postCompactionForce'),
      // Deleted conversations stay on the disk, or archived ones are deleted.
      retention: ['follow'],
      maxAgeDays: 'risky',
      maxBytes: 'risky',
      imports: 'risky',
    },
  },
  multimodal: harmless('enabled', 'modalities', 'maxFileBytes'),
  cache: harmless('enabled', 'maxEntries'),
  // Transcripts are in the user's home folder.
  experimental: { sessionMemory: [false] },
  store: {
    driver: 'harmless',
    // An index names the files that are read, and it receives a copy of every note.
    path: 'risky',
    vector: { enabled: 'harmless', extensionPath: 'risky' },
    fts: harmless('tokenizer'),
  },
  ext: { extraCollections: 'risky' },
};

/** `flows.runtimes.subagent` and `flows.runtimes.acp`. */
const RUNTIME: RiskGroup = {
  command: 'risky',
  env: 'risky',
  cwd: 'risky',
  permissions: 'risky',
  ...harmless('timeoutSeconds', 'maxAttempts'),
};

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** Every key of `svc.json`; `*` is any name or list position. A test fails if one is missing. */
const KEY_RISKS: RiskGroup = {
  $schema: 'harmless',
  agents: {
    defaults: { workspace: 'outside', userTimezone: 'harmless', memorySearch: MEMORY_SEARCH },
    list: {
      '*': {
        ...harmless('id', 'default'),
        workspace: 'outside',
        memorySearch: MEMORY_SEARCH,
        mcp: { write: [false] },
      },
    },
  },
  models: { providers: { '*': 'risky' } },
  memory: {
    backend: ['builtin'],
    citations: 'harmless',
    // It keeps what people ask.
    captureModel: 'risky',
    searchLog: [false],
    ext: {
      command: 'risky',
      ...harmless('searchMode', 'searchTool', 'includeDefaultMemory'),
      paths: 'risky',
      sessions: { enabled: [false], retentionDays: 'risky', exportDir: 'risky' },
      update: {
        ...harmless('interval', 'debounceMs', 'onBoot', 'embedInterval'),
        ...harmless('commandTimeoutMs', 'updateTimeoutMs', 'embedTimeoutMs'),
      },
      limits: harmless('maxResults', 'timeoutMs', 'maxSnippetChars', 'maxInjectedChars'),
      scope: {
        default: 'harmless',
        rules: {
          '*': {
            action: 'harmless',
            match: harmless('channel', 'chatType', 'keyPrefix', 'rawKeyPrefix'),
          },
        },
      },
    },
  },
  sessions: { readers: 'risky' },
  plugins: {
    entries: {
      'memory-core': {
        config: {
          dreaming: {
            ...harmless('enabled', 'frequency', 'timezone', 'verboseLogging'),
            model: 'risky',
            storage: harmless('mode', 'separateReports'),
            phases: {
              light: harmless('enabled', 'lookbackDays', 'limit', 'dedupeSimilarity'),
              rem: harmless('enabled', 'lookbackDays', 'limit', 'minPatternStrength'),
              deep: {
                ...harmless('enabled', 'limit', 'minScore', 'minRecallCount', 'minUniqueQueries'),
                ...harmless('recencyHalfLifeDays', 'maxAgeDays', 'maxMemoryChars'),
                ...harmless('maxPromotedSnippetTokens', 'maxPriorEntryLossFraction'),
              },
            },
          },
        },
        subagent: { allowModelOverride: 'risky', allowedModels: 'risky' },
      },
      'active-memory': {
        enabled: 'harmless',
        config: {
          ...harmless('enabled', 'agents', 'thinking', 'queryMode', 'promptStyle'),
          model: 'risky',
          modelFallback: 'risky',
          modelFallbackPolicy: 'harmless',
          ...harmless('allowedChatTypes', 'allowedChatIds', 'deniedChatIds'),
          ...harmless('timeoutMs', 'setupGraceTimeoutMs', 'cacheTtlMs', 'maxSummaryChars'),
          // Model instructions determine what the agent does.
          promptOverride: 'risky',
          promptAppend: 'risky',
          ...harmless('recentUserTurns', 'recentAssistantTurns'),
          ...harmless('recentUserChars', 'recentAssistantChars'),
          ...harmless('circuitBreakerMaxTimeouts', 'circuitBreakerCooldownMs'),
          ...harmless('logging', 'persistTranscripts'),
          transcriptDir: 'risky',
          ext: harmless('searchMode'),
        },
      },
      webhooks: {
        enabled: 'harmless',
        config: {
          routes: 'risky',
          limits: {
            ...harmless('ratePerWindow', 'windowSeconds', 'inFlight'),
            ...harmless('bodyBytes', 'bodyTimeoutSeconds', 'trackedClients'),
          },
          // Smaller limits delete what was recorded.
          deliveries: {
            keep: 'risky',
            days: 'risky',
            maxMegabytes: 'risky',
            ...harmless('maxBodyBytes'),
          },
          openapi: 'harmless',
        },
      },
    },
  },
  gateway: {
    host: LOOPBACK,
    tls: 'risky',
    trustedProxies: 'risky',
    admin: { host: LOOPBACK, port: 'harmless' },
    ...harmless('port', 'drainSeconds'),
  },
  mcp: {
    // Agents may be told by others what to write.
    write: [false],
    http: {
      host: LOOPBACK,
      port: 'harmless',
      tls: 'risky',
      trustedProxies: 'risky',
      publicUrl: 'risky',
      allowedOrigins: 'risky',
      limits: harmless('ratePerWindow', 'windowSeconds', 'trackedClients'),
    },
  },
  flows: {
    retentionDays: 'risky',
    ...harmless('idempotencyHours', 'concurrency', 'leaseSeconds', 'orphans'),
    runtimes: { subagent: RUNTIME, acp: RUNTIME },
    notify: 'risky',
  },
  schedules: 'risky',
  storage: {
    url: 'risky',
    origin: 'risky',
    ...harmless('poolSize', 'connectTimeoutSeconds', 'statementTimeoutSeconds'),
  },
  secrets: {
    providers: 'risky',
    defaults: 'risky',
    resolution: harmless('maxProviderConcurrency', 'maxRefsPerProvider', 'maxBatchBytes'),
  },
  logging: { ...harmless('level', 'format', 'accessLog', 'activity'), file: 'outside' },
  ui: harmless('theme', 'mouse', 'history'),
};

function harmless(...keys: readonly string[]): Readonly<Record<string, 'harmless'>> {
  return Object.fromEntries(keys.map((key) => [key, 'harmless']));
}

/** Undefined for an unknown key, and for a group of keys with different risks. */
export function riskOf(path: ConfigPath): KeyRisk | undefined {
  let risk: unknown = KEY_RISKS;
  for (const part of path) {
    if (!isRecord(risk)) return undefined;
    risk = risk[Object.hasOwn(risk, part) ? part : '*'];
  }
  return isRecord(risk) ? undefined : (risk as KeyRisk | undefined);
}
