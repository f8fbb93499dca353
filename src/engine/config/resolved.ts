import type { Warning } from '../errors/index.js';
import type {
  CONFIG_DEFAULTS,
  EXEC_PROVIDER_DEFAULTS,
  FILE_PROVIDER_DEFAULTS,
  HMAC_DEFAULTS,
  MEMORY_SEARCH_DEFAULTS,
  MODEL_PROVIDER_DEFAULTS,
  ROUTE_DEFAULTS,
  RUNTIME_DEFAULTS,
  SCHEDULE_DEFAULTS,
  VERIFY_DEFAULTS,
} from './defaults.js';
import type { WithDefaults } from './merge-settings.js';
import type {
  AgentInput,
  ConfigInput,
  MemorySearchInput,
  ModelProviderInput,
  NotifyInput,
  RouteInput,
  RuntimeInput,
  ScheduleInput,
  SecretProviderInput,
  TargetInput,
} from './schema/index.js';
import type { ParsedSecrets } from './secret-input.js';

/** A configuration with all fixed defaults; what is in maps and lists is as written. */
export type FilledConfig = WithDefaults<ConfigInput, typeof CONFIG_DEFAULTS>;

export type FilledMemorySearch = WithDefaults<MemorySearchInput, typeof MEMORY_SEARCH_DEFAULTS>;

/**
 * How one agent's memory is indexed and searched. `provider` and `fallback` are adapter ids, never
 * kinds.
 */
export type MemorySearchSettings = ParsedSecrets<FilledMemorySearch>;

/** `query.rerank`. */
export type ResolvedRerank = MemorySearchSettings['query']['rerank'];

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

/** Id of a configured agent. */
export type AgentId = string & { readonly __brand: 'AgentId' };

/** An agent with paths as written. */
export interface AgentSettings {
  readonly id: AgentId;
  readonly default: boolean;
  readonly workspace?: string | undefined;
  readonly mcp?: AgentInput['mcp'];
  readonly memorySearch: MemorySearchSettings;
}

/** An agent with all settings resolved. */
export interface ResolvedAgent {
  readonly id: AgentId;
  /** Absolute path of the folder with `MEMORY.md` and `memory/`. */
  readonly workspaceDir: string;
  /** The user's IANA time zone; undefined means the host's. */
  readonly userTimezone?: string | undefined;
  /** Time zone for the days of dreaming. */
  readonly dreamTimezone?: string | undefined;
  /** The chat model that finds decisions in captured conversations. */
  readonly captureModel?: string | undefined;
  /** Characters that `MEMORY.md` may have. */
  readonly memoryBudget: number;
  readonly memorySearch: ResolvedMemorySearch;
  readonly backend: ResolvedMemory['backend'];
  readonly citations: ResolvedMemory['citations'];
  /** With absolute paths. */
  readonly sessionReaders: readonly SessionReader[];
  /** Sessions of other agents in these folders belong to this agent too. */
  readonly projectDirs: readonly string[];
  /** Which sessions can search, with any backend. */
  readonly scope: ResolvedMemory['ext']['scope'];
  /** Whether agents can add to its notes over MCP. */
  readonly mcpWrite: boolean;
}

/** `api` is an adapter's id if it is an id or kind of one, else as written. */
export type ResolvedModelProvider = ParsedSecrets<
  WithDefaults<ModelProviderInput, typeof MODEL_PROVIDER_DEFAULTS>
>;

export type ResolvedMemory = FilledConfig['memory'];

/** A session reader in use. */
export interface SessionReader {
  readonly id: string;
  /** As written; undefined means the default location. */
  readonly path?: string | undefined;
}

type VerifyInput = NonNullable<RouteInput['verify']>;

/** `verify` of a route. */
export type ResolvedVerify = ParsedSecrets<
  | WithDefaults<Exclude<VerifyInput, { scheme: 'hmac' }>, typeof VERIFY_DEFAULTS>
  | WithDefaults<Extract<VerifyInput, { scheme: 'hmac' }>, typeof HMAC_DEFAULTS>
>;

/** A rule of a route's `map`. */
export type MapRule = NonNullable<RouteInput['map']>[number];

/** Has either a secret or `verify`. */
export interface ResolvedRoute
  extends ParsedSecrets<Omit<WithDefaults<RouteInput, typeof ROUTE_DEFAULTS>, 'verify'>> {
  /** With a leading and no trailing slash. */
  readonly path: string;
  readonly verify?: ResolvedVerify;
  readonly controllerId: string;
}

type FilledEntries = FilledConfig['plugins']['entries'];

export interface ResolvedWebhooks {
  readonly enabled: boolean;
  readonly config: Omit<FilledEntries['webhooks']['config'], 'routes'> & {
    readonly routes: Readonly<Record<string, ResolvedRoute>>;
  };
}

type ResolvedRuntime = WithDefaults<RuntimeInput, typeof RUNTIME_DEFAULTS>;

export type ResolvedFlows = Omit<FilledConfig['flows'], 'runtimes' | 'notify'> & {
  readonly runtimes: { readonly subagent?: ResolvedRuntime; readonly acp?: ResolvedRuntime };
  readonly notify: ParsedSecrets<NotifyInput> & {
    readonly targets: readonly ParsedSecrets<TargetInput>[];
  };
};

/** A schedule; its owner and its controller are those of its route, if it names one. */
export interface ResolvedSchedule
  extends Omit<WithDefaults<ScheduleInput, typeof SCHEDULE_DEFAULTS>, 'route'> {
  readonly sessionKey: string;
  readonly controllerId: string;
  /** Undefined means the host's. */
  readonly timezone?: string | undefined;
}

export type ResolvedSecretProvider =
  | Extract<SecretProviderInput, { source: 'env' }>
  | WithDefaults<Extract<SecretProviderInput, { source: 'file' }>, typeof FILE_PROVIDER_DEFAULTS>
  | WithDefaults<Extract<SecretProviderInput, { source: 'exec' }>, typeof EXEC_PROVIDER_DEFAULTS>;

/** Without a URL: SQLite files. */
export type ResolvedStorage = ParsedSecrets<FilledConfig['storage']> & {
  /** Of the URL that its reference led to when `svc serve` loaded the configuration: a reload compares it. */
  readonly urlHash?: string;
};

/** The whole configuration with all defaults. Deeply frozen; paths as written. */
export interface ResolvedConfig
  extends Pick<FilledConfig, 'gateway' | 'logging' | 'mcp' | 'memory' | 'ui'> {
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
  readonly sessions: { readonly readers: readonly SessionReader[] };
  readonly plugins: {
    readonly entries: Omit<FilledEntries, 'webhooks'> & { readonly webhooks: ResolvedWebhooks };
  };
  readonly flows: ResolvedFlows;
  readonly schedules: Readonly<Record<string, ResolvedSchedule>>;
  readonly storage: ResolvedStorage;
  readonly secrets: Omit<FilledConfig['secrets'], 'providers'> & {
    readonly providers: Readonly<Record<string, ResolvedSecretProvider>>;
  };
}

/** A valid configuration. */
export interface LoadedConfig {
  /** Absolute path; undefined if there is no file. */
  readonly file: string | undefined;
  /** Content of the file. */
  readonly input: ConfigInput;
  /** With all defaults. */
  readonly resolved: ResolvedConfig;
  readonly warnings: readonly Warning[];
  /**
   * Keys that are ignored because the file is not trusted. Undefined for a specified file and the
   * user's own.
   */
  readonly ignoredKeys?: readonly string[];
}
