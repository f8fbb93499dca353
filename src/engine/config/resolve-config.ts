import { canonicalProvider } from '../providers/registry.js';
import { uniqueBy } from '../support/lists.js';
import { plainPath } from '../support/request-path.js';
import {
  CONFIG_DEFAULTS,
  EXEC_PROVIDER_DEFAULTS,
  FILE_PROVIDER_DEFAULTS,
  HMAC_DEFAULTS,
  MEMORY_SEARCH_DEFAULTS,
  ROUTE_DEFAULTS,
  RUNTIME_DEFAULTS,
  SCHEDULE_DEFAULTS,
  VERIFY_DEFAULTS,
  WRITTEN_SCOPE_DEFAULTS,
} from './defaults.js';
import { mergeSettings } from './merge-settings.js';
import type {
  AgentId,
  AgentSettings,
  FilledConfig,
  MemorySearchSettings,
  ResolvedConfig,
  ResolvedFlows,
  ResolvedMemory,
  ResolvedModelProvider,
  ResolvedRoute,
  ResolvedSchedule,
  ResolvedSecretProvider,
  ResolvedStorage,
  ResolvedVerify,
  ResolvedWebhooks,
  SessionReader,
} from './resolved.js';
import type {
  AgentInput,
  AgentsInput,
  ConfigInput,
  MemoryInput,
  MemorySearchInput,
  ModelProviderInput,
  RouteInput,
  ScheduleInput,
  SecretProviderInput,
} from './schema/index.js';
import {
  parseSecret,
  type SecretDefaults,
  type SecretInput,
  type SecretValue,
} from './secret-input.js';

/**
 * Fills in all defaults of a valid configuration. Pure; the result is deeply frozen. If no agents
 * are listed there is one, `main`; unless one is marked, the first is the default.
 */
export function resolveConfig(input: ConfigInput): ResolvedConfig {
  const filled: FilledConfig = mergeSettings(CONFIG_DEFAULTS, input);
  const aliases = filled.secrets.defaults;
  const { webhooks, ...entries } = filled.plugins.entries;
  return deepFreeze<ResolvedConfig>({
    agents: resolveAgents(input, aliases),
    models: { providers: resolveModelProviders(input.models?.providers, aliases) },
    memory: resolveMemory(filled.memory, input.memory?.ext?.scope),
    sessions: { readers: filled.sessions.readers.map(toReader) },
    plugins: { entries: { ...entries, webhooks: resolveWebhooks(webhooks, aliases) } },
    gateway: filled.gateway,
    mcp: filled.mcp,
    flows: resolveFlows(filled.flows, aliases),
    schedules: resolveSchedules(input),
    storage: resolveStorage(filled.storage, aliases),
    secrets: resolveSecrets(filled.secrets),
    logging: filled.logging,
    ui: filled.ui,
  });
}

/** The agents of a configuration; without any, there is one. */
export function writtenAgents({ list = [] }: AgentsInput): readonly AgentInput[] {
  return list.length === 0 ? [{ id: MAIN_AGENT }] : list;
}

function resolveAgents(
  input: ConfigInput,
  secretDefaults: SecretDefaults,
): ResolvedConfig['agents'] {
  const { agents = {} } = input;
  const written = writtenAgents(agents);
  const marked = written.findIndex((agent) => agent.default === true);
  const settings = written.map(
    (agent, at): AgentSettings => ({
      id: toAgentId(agent.id),
      default: at === Math.max(marked, 0),
      ...(agent.workspace === undefined ? {} : { workspace: agent.workspace }),
      ...(agent.mcp === undefined ? {} : { mcp: agent.mcp }),
      memorySearch: resolveMemorySearch(input, agent.memorySearch, secretDefaults),
    }),
  );
  return {
    defaults: {
      ...agents.defaults,
      memorySearch: resolveMemorySearch(input, undefined, secretDefaults),
    },
    list: settings,
  };
}

function resolveModelProviders(
  providers: Readonly<Record<string, ModelProviderInput>> | undefined,
  secretDefaults: SecretDefaults,
): Readonly<Record<string, ResolvedModelProvider>> {
  return Object.fromEntries(
    Object.entries(providers ?? {}).map(([id, { api, models = [], ...rest }]) => [
      id,
      {
        ...withParsedSecrets(
          { ...rest, ...(api === undefined ? {} : { api: canonicalProvider(api) }) },
          secretDefaults,
        ),
        models,
      },
    ]),
  );
}

function resolveSecrets({
  providers = {},
  ...rest
}: FilledConfig['secrets']): ResolvedConfig['secrets'] {
  return {
    ...rest,
    providers: Object.fromEntries(
      Object.entries(providers).map(([alias, entry]) => [alias, resolveSecretProvider(entry)]),
    ),
  };
}

function toReader(reader: string | SessionReader): SessionReader {
  return typeof reader === 'string' ? { id: reader } : reader;
}

export function listAgents(config: ResolvedConfig): readonly AgentId[] {
  return config.agents.list.map((agent) => agent.id);
}

/** The agent to use when none is specified. */
export function defaultAgentId(config: ResolvedConfig): AgentId {
  const agent = config.agents.list.find((candidate) => candidate.default);
  return agent?.id ?? toAgentId(MAIN_AGENT);
}

/** Path of routes without `path` (spec/webhooks §2). */
const ROUTE_PREFIX = '/plugins/webhooks/';

/**
 * A configured scope replaces the default one (facts §8.3): merging would allow sessions by rules
 * that nobody wrote.
 */
function resolveMemory(filled: ResolvedMemory, written: ScopeInput | undefined): ResolvedMemory {
  if (written === undefined) return filled;
  const scope = mergeSettings(WRITTEN_SCOPE_DEFAULTS, written);
  return { ...filled, ext: { ...filled.ext, scope } };
}

type ScopeInput = NonNullable<MemoryInput['ext']>['scope'];

function resolveWebhooks(
  { enabled, config: { routes = {}, ...config } }: FilledConfig['plugins']['entries']['webhooks'],
  secretDefaults: SecretDefaults,
): ResolvedWebhooks {
  return {
    enabled,
    config: {
      ...config,
      routes: Object.fromEntries(
        Object.entries(routes).map(([id, route]) => [id, resolveRoute(id, route, secretDefaults)]),
      ),
    },
  };
}

function resolveRoute(
  id: string,
  route: RouteInput,
  secretDefaults: SecretDefaults,
): ResolvedRoute {
  const { secret, verify, callback, ...rest } = route;
  return {
    ...mergeSettings(ROUTE_DEFAULTS, rest),
    path: routePath(id, route),
    controllerId: controllerOf(id, route),
    ...(secret === undefined ? {} : { secret: parseSecret(secret, secretDefaults) }),
    ...(verify === undefined ? {} : { verify: resolveVerify(verify, secretDefaults) }),
    ...(callback === undefined
      ? {}
      : { callback: { ...callback, secret: parseSecret(callback.secret, secretDefaults) } }),
  };
}

function resolveVerify(
  verify: NonNullable<RouteInput['verify']>,
  secretDefaults: SecretDefaults,
): ResolvedVerify {
  const secrets = verify.secrets.map((secret) => parseSecret(secret, secretDefaults));
  return verify.scheme === 'hmac'
    ? { ...mergeSettings(HMAC_DEFAULTS, verify), secrets }
    : { ...mergeSettings(VERIFY_DEFAULTS, verify), secrets };
}

/** A route's request path, with a leading and no trailing slash (facts §2.1), and without needless escapes. */
export function routePath(id: string, route: Pick<RouteInput, 'path'>): string {
  return `/${plainPath(writtenPath(id, route)).replace(/^\/+/u, '')}`;
}

/** The same, as the configuration has it. */
export function writtenPath(id: string, { path }: Pick<RouteInput, 'path'>): string {
  return path ?? `${ROUTE_PREFIX}${id}`;
}

function resolveStorage(
  { url, ...rest }: FilledConfig['storage'],
  secretDefaults: SecretDefaults,
): ResolvedStorage {
  return { ...rest, ...(url === undefined ? {} : { url: parseSecret(url, secretDefaults) }) };
}

function resolveFlows(
  { runtimes = {}, notify = {}, ...rest }: FilledConfig['flows'],
  secretDefaults: SecretDefaults,
): ResolvedFlows {
  const { targets = [], ...single } = notify;
  const { subagent, acp } = runtimes;
  return {
    ...rest,
    runtimes: {
      ...(subagent === undefined ? {} : { subagent: mergeSettings(RUNTIME_DEFAULTS, subagent) }),
      ...(acp === undefined ? {} : { acp: mergeSettings(RUNTIME_DEFAULTS, acp) }),
    },
    notify: {
      ...resolveReceiver(single, secretDefaults),
      targets: targets.map((target) => resolveReceiver(target, secretDefaults)),
    },
  };
}

function resolveReceiver<Receiver extends { readonly secret?: SecretValue | undefined }>(
  { secret, ...rest }: Receiver,
  secretDefaults: SecretDefaults,
) {
  return {
    ...rest,
    ...(secret === undefined ? {} : { secret: parseSecret(secret, secretDefaults) }),
  };
}

function resolveSchedules(input: ConfigInput): ResolvedConfig['schedules'] {
  return Object.fromEntries(
    Object.entries(input.schedules ?? {}).map(([id, schedule]) => [
      id,
      resolveSchedule(id, schedule, input),
    ]),
  );
}

function resolveSchedule(
  id: string,
  { route, ...schedule }: ScheduleInput,
  { agents, plugins }: ConfigInput,
): ResolvedSchedule {
  const owner =
    route === undefined ? undefined : plugins?.entries?.webhooks?.config?.routes?.[route];
  const controllerId = route === undefined ? `schedules/${id}` : controllerOf(route, owner);
  return {
    ...mergeSettings(SCHEDULE_DEFAULTS, schedule),
    timezone: schedule.timezone ?? agents?.defaults?.userTimezone,
    // A rule makes sure that there is one of both.
    sessionKey: schedule.sessionKey ?? owner?.sessionKey ?? '',
    controllerId: schedule.controllerId ?? controllerId,
  };
}

/** The controller of the flows of a route. */
function controllerOf(id: string, route: Pick<RouteInput, 'controllerId'> | undefined): string {
  return route?.controllerId ?? `webhooks/${id}`;
}

function resolveSecretProvider(entry: SecretProviderInput): ResolvedSecretProvider {
  switch (entry.source) {
    case 'env':
      return entry;
    case 'file':
      return mergeSettings(FILE_PROVIDER_DEFAULTS, entry);
    case 'exec':
      return mergeSettings(EXEC_PROVIDER_DEFAULTS, entry);
  }
}

/**
 * Merges an agent's `memorySearch` into the defaults, field by field. `extraPaths` and
 * `ext.extraCollections` are concatenated without duplicates (spec/memory-search §2.6), and `exclude` as it is,
 * because its order matters.
 */
export function resolveMemorySearch(
  { agents, models }: Pick<ConfigInput, 'agents' | 'models'>,
  agent: MemorySearchInput | undefined,
  secretDefaults: SecretDefaults,
): MemorySearchSettings {
  const defaults = agents?.defaults?.memorySearch;
  // An entry may be named like a kind of adapter.
  const idOf = (provider: string): string =>
    Object.hasOwn(models?.providers ?? {}, provider) ? provider : canonicalProvider(provider);
  const merged = mergeSettings(MEMORY_SEARCH_DEFAULTS, defaults, agent);
  const { rerank } = merged.query;
  const paths = [...(defaults?.extraPaths ?? []), ...(agent?.extraPaths ?? [])];
  const collections = [
    ...(defaults?.ext?.extraCollections ?? []),
    ...(agent?.ext?.extraCollections ?? []),
  ];
  return {
    ...merged,
    provider: idOf(merged.provider),
    fallback: idOf(merged.fallback),
    extraPaths: uniqueBy(
      paths.map((path) => path.trim()).filter((path) => path !== ''),
      (path) => path,
    ),
    exclude: [...(defaults?.exclude ?? []), ...(agent?.exclude ?? [])],
    ext: {
      extraCollections: uniqueBy(collections, ({ path, pattern }) => `${path}\n${pattern ?? ''}`),
    },
    remote: withParsedSecrets(merged.remote, secretDefaults),
    query: {
      ...merged.query,
      rerank: { ...rerank, remote: withParsedSecrets(rerank.remote, secretDefaults) },
    },
  };
}

interface WrittenEndpoint {
  readonly apiKey?: SecretValue | undefined;
  readonly headers?: Readonly<Record<string, SecretValue>> | undefined;
}

function withParsedSecrets<Remote extends WrittenEndpoint>(
  { apiKey, headers, ...remote }: Remote,
  defaults: SecretDefaults,
) {
  return {
    ...remote,
    ...(apiKey === undefined ? {} : { apiKey: parseSecret(apiKey, defaults) }),
    headers: parseSecrets(headers, defaults),
  };
}

function parseSecrets(
  values: Readonly<Record<string, SecretValue>> | undefined,
  defaults: SecretDefaults,
): Readonly<Record<string, SecretInput>> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [name, parseSecret(value, defaults)]),
  );
}

/** Freezes plain data recursively and returns it. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}

/** The only agent if none are configured. */
const MAIN_AGENT = 'main';

/** The schema has validated the name. */
function toAgentId(name: string): AgentId {
  return name as AgentId;
}
