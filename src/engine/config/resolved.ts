import type { AgentId } from './agent-id.js';
import type {
  ACTIVE_MEMORY_DEFAULTS,
  EXEC_PROVIDER_DEFAULTS,
  FILE_PROVIDER_DEFAULTS,
  FLOWS_DEFAULTS,
  GATEWAY_DEFAULTS,
  LOGGING_DEFAULTS,
  MEMORY_CORE_DEFAULTS,
  MEMORY_DEFAULTS,
  MEMORY_SEARCH_DEFAULTS,
  RUNTIME_DEFAULTS,
  SECRETS_DEFAULTS,
  WEBHOOKS_DEFAULTS,
} from './defaults.js';
import type {
  ConfigInput,
  FlowsInput,
  MemoryInput,
  MemorySearchInput,
  PluginEntriesInput,
  RuntimeInput,
  SecretProviderInput,
  SecretsInput,
  WebhooksInput,
} from './input.js';
import type { WithDefaults } from './merge.js';
import type { SecretInput } from './secret-input.js';

type FilledMemorySearch = WithDefaults<MemorySearchInput, typeof MEMORY_SEARCH_DEFAULTS>;

/** Settings of the embedding endpoint; secrets parsed, not resolved. */
export type ResolvedRemote = Omit<FilledMemorySearch['remote'], 'apiKey' | 'headers'> & {
  readonly apiKey?: SecretInput | undefined;
  readonly headers: Readonly<Record<string, SecretInput>>;
};

/**
 * How one agent's memory is indexed and searched. Keys that may be absent have no fixed default.
 * `provider` and `fallback` are adapter ids, never their kinds.
 */
export type MemorySearchSettings = Omit<FilledMemorySearch, 'remote'> & {
  readonly remote: ResolvedRemote;
};

/** {@link MemorySearchSettings} with the paths of one agent made absolute. */
export type ResolvedMemorySearch = Omit<MemorySearchSettings, 'store' | 'local'> & {
  readonly store: Omit<MemorySearchSettings['store'], 'path'> & {
    /** Absolute path of the index database. */
    readonly path: string;
  };
  readonly local: Omit<MemorySearchSettings['local'], 'modelCacheDir'> & {
    /** Absolute path of the folder for downloaded models. */
    readonly modelCacheDir: string;
  };
};

/** One agent of the configuration; paths as written. */
export interface AgentSettings {
  readonly id: AgentId;
  readonly default: boolean;
  readonly workspace?: string | undefined;
  readonly memorySearch: MemorySearchSettings;
}

/** One agent with everything settled. */
export interface ResolvedAgent {
  readonly id: AgentId;
  /** Absolute path of the folder that holds `MEMORY.md` and `memory/`. */
  readonly workspaceDir: string;
  /** IANA time zone of the person; absent means the host's. */
  readonly userTimezone?: string | undefined;
  readonly memorySearch: ResolvedMemorySearch;
  readonly backend: ResolvedMemory['backend'];
  readonly citations: ResolvedMemory['citations'];
  /** Whose transcripts are read, `path` made absolute. */
  readonly sessionReaders: readonly SessionReader[];
  /** Conversations that other agents held in these folders or below are this agent's, too. */
  readonly projectDirs: readonly string[];
  /** Which conversations may search, whoever answers. */
  readonly scope: ResolvedMemory['ext']['scope'];
}

/** A `models.providers` entry. */
export interface ResolvedModelProvider {
  /** Adapter id where `api` names an adapter (by id or kind), else `api` as written. */
  readonly api?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: SecretInput | undefined;
  readonly headers: Readonly<Record<string, SecretInput>>;
  readonly models: readonly { readonly id: string }[];
}

/** `memory`, filled. */
export type ResolvedMemory = WithDefaults<MemoryInput, typeof MEMORY_DEFAULTS>;

/** A reader of session transcripts that is switched on. */
export interface SessionReader {
  readonly id: string;
  /** As written; absent means the usual place. */
  readonly path?: string | undefined;
}

/** A webhook route. */
export interface ResolvedRoute {
  readonly enabled: boolean;
  /** Begins with one slash and ends without. */
  readonly path: string;
  readonly sessionKey: string;
  readonly secret: SecretInput;
  readonly controllerId: string;
  readonly description?: string | undefined;
}

type FilledWebhooks = WithDefaults<WebhooksInput, typeof WEBHOOKS_DEFAULTS>;

/** `plugins.entries.webhooks`, filled. */
export interface ResolvedWebhooks {
  readonly enabled: boolean;
  readonly config: {
    readonly routes: Readonly<Record<string, ResolvedRoute>>;
    readonly limits: FilledWebhooks['config']['limits'];
    /** Whether `/openapi.json` is served. */
    readonly openapi: boolean;
  };
}

/** What runs tasks of one runtime. */
export type ResolvedRuntime = WithDefaults<RuntimeInput, typeof RUNTIME_DEFAULTS>;

/** `flows`, filled. */
export type ResolvedFlows = Omit<
  WithDefaults<FlowsInput, typeof FLOWS_DEFAULTS>,
  'runtimes' | 'notify'
> & {
  readonly runtimes: { readonly subagent?: ResolvedRuntime; readonly acp?: ResolvedRuntime };
  readonly notify: {
    readonly command?: readonly string[] | undefined;
    readonly url?: string | undefined;
    readonly secret?: SecretInput | undefined;
  };
};

/** A `secrets.providers` entry, filled. */
export type ResolvedSecretProvider =
  | Extract<SecretProviderInput, { source: 'env' }>
  | WithDefaults<Extract<SecretProviderInput, { source: 'file' }>, typeof FILE_PROVIDER_DEFAULTS>
  | WithDefaults<Extract<SecretProviderInput, { source: 'exec' }>, typeof EXEC_PROVIDER_DEFAULTS>;

/** The whole configuration with every default filled in. Deeply frozen; paths as written. */
export interface ResolvedConfig {
  readonly agents: {
    readonly defaults: {
      readonly workspace?: string | undefined;
      readonly userTimezone?: string | undefined;
      readonly memorySearch: MemorySearchSettings;
    };
    /** Never empty; exactly one is the default. */
    readonly list: readonly AgentSettings[];
  };
  readonly models: { readonly providers: Readonly<Record<string, ResolvedModelProvider>> };
  readonly memory: ResolvedMemory;
  readonly sessions: { readonly readers: readonly SessionReader[] };
  readonly plugins: {
    readonly entries: {
      readonly 'memory-core': WithDefaults<
        NonNullable<PluginEntriesInput['memory-core']>,
        typeof MEMORY_CORE_DEFAULTS
      >;
      readonly 'active-memory': WithDefaults<
        NonNullable<PluginEntriesInput['active-memory']>,
        typeof ACTIVE_MEMORY_DEFAULTS
      >;
      readonly webhooks: ResolvedWebhooks;
    };
  };
  readonly gateway: WithDefaults<NonNullable<ConfigInput['gateway']>, typeof GATEWAY_DEFAULTS>;
  readonly flows: ResolvedFlows;
  readonly secrets: Omit<WithDefaults<SecretsInput, typeof SECRETS_DEFAULTS>, 'providers'> & {
    readonly providers: Readonly<Record<string, ResolvedSecretProvider>>;
  };
  readonly logging: WithDefaults<NonNullable<ConfigInput['logging']>, typeof LOGGING_DEFAULTS>;
}
