import { canonicalProvider } from '../providers/registry.js';
import { uniqueBy } from '../support/lists.js';
import { plainPath } from '../support/request-path.js';
import {
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
  WRITTEN_SCOPE_DEFAULTS,
} from './defaults.js';
import { mergeSettings } from './merge-settings.js';
import type {
  AgentId,
  FilledConfig,
  FilledMemorySearch,
  ResolvedConfig,
  ResolvedMemory,
  ResolvedSchedule,
  ResolvedSecretProvider,
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
import { parseSecrets } from './secret-input.js';

/**
 * Fills in all defaults of a valid configuration. Pure; the result is deeply frozen. If no agents
 * are listed there is one, `main`; unless one is marked, the first is the default.
 */
export function resolveConfig(input: ConfigInput): ResolvedConfig {
  const filled: FilledConfig = mergeSettings(CONFIG_DEFAULTS, input);
  const { webhooks, ...entries } = filled.plugins.entries;
  const { runtimes, notify } = filled.flows;
  const { routes, ...config } = webhooks.config;
  const resolved = {
    agents: resolveAgents(input),
    models: { providers: mapValues(input.models?.providers, resolveModelProvider) },
    memory: resolveMemory(filled.memory, input.memory?.ext?.scope),
    sessions: { readers: filled.sessions.readers.map(toReader) },
    plugins: {
      entries: {
        ...entries,
        webhooks: { ...webhooks, config: { ...config, routes: mapValues(routes, resolveRoute) } },
      },
    },
    gateway: filled.gateway,
    mcp: filled.mcp,
    flows: {
      ...filled.flows,
      runtimes: mapValues(runtimes, (runtime) => mergeSettings(RUNTIME_DEFAULTS, runtime)),
      notify: { ...notify, targets: notify?.targets ?? [] },
    },
    schedules: mapValues(input.schedules, (schedule, id) => resolveSchedule(id, schedule, input)),
    storage: filled.storage,
    secrets: {
      ...filled.secrets,
      providers: mapValues(filled.secrets.providers, resolveSecretProvider),
    },
    logging: filled.logging,
    ui: filled.ui,
  };
  return deepFreeze<ResolvedConfig>(parseSecrets(resolved, filled.secrets.defaults));
}

/** The same keys with other values. */
function mapValues<Value, Other>(
  record: Readonly<Record<string, Value>> = {},
  map: (value: Value, key: string) => Other,
): Readonly<Record<string, Other>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** The agents of a configuration; without any, there is one. */
export function writtenAgents({ list = [] }: AgentsInput): readonly AgentInput[] {
  return list.length === 0 ? [{ id: MAIN_AGENT }] : list;
}

function resolveAgents(input: ConfigInput) {
  const { agents = {} } = input;
  const written = writtenAgents(agents);
  const marked = written.findIndex((agent) => agent.default === true);
  return {
    defaults: { ...agents.defaults, memorySearch: fillMemorySearch(input, undefined) },
    list: written.map(({ id, memorySearch, ...agent }, at) => ({
      id: toAgentId(id),
      ...agent,
      default: at === Math.max(marked, 0),
      memorySearch: fillMemorySearch(input, memorySearch),
    })),
  };
}

function resolveModelProvider(provider: ModelProviderInput) {
  const api = provider.api && canonicalProvider(provider.api);
  return mergeSettings(MODEL_PROVIDER_DEFAULTS, { ...provider, api });
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

function resolveRoute({ verify, ...route }: RouteInput, id: string) {
  return {
    ...mergeSettings(ROUTE_DEFAULTS, route),
    path: routePath(id, route),
    controllerId: controllerOf(id, route),
    ...(verify === undefined ? {} : { verify: fillVerify(verify) }),
  };
}

function fillVerify(verify: NonNullable<RouteInput['verify']>) {
  return verify.scheme === 'hmac'
    ? mergeSettings(HMAC_DEFAULTS, verify)
    : mergeSettings(VERIFY_DEFAULTS, verify);
}

/** Whether `subagent.allowedModels` allows a model for the diary. An empty list allows any. */
export function isAllowedModel(model: string, allowedModels: readonly string[] = []): boolean {
  return allowedModels.length === 0 || ['*', model].some((name) => allowedModels.includes(name));
}

/** A route's request path, with a leading and no trailing slash (facts §2.1), and without needless escapes. */
export function routePath(id: string, route: Pick<RouteInput, 'path'>): string {
  return `/${plainPath(writtenPath(id, route)).replace(/^\/+/u, '')}`;
}

/** The same, as the configuration has it. */
export function writtenPath(id: string, { path }: Pick<RouteInput, 'path'>): string {
  return path ?? `${ROUTE_PREFIX}${id}`;
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
export function fillMemorySearch(
  { agents, models }: ConfigInput,
  agent: MemorySearchInput | undefined,
): FilledMemorySearch {
  const defaults = agents?.defaults?.memorySearch;
  // An entry may be named like a kind of adapter.
  const idOf = (provider: string): string =>
    Object.hasOwn(models?.providers ?? {}, provider) ? provider : canonicalProvider(provider);
  const merged = mergeSettings(MEMORY_SEARCH_DEFAULTS, defaults, agent);
  const paths = [...(defaults?.extraPaths ?? []), ...(agent?.extraPaths ?? [])];
  const collections = [
    ...(defaults?.ext?.extraCollections ?? []),
    ...(agent?.ext?.extraCollections ?? []),
  ];
  return {
    ...merged,
    provider: idOf(merged.provider),
    fallback: idOf(merged.fallback),
    extraPaths: [...new Set(paths.map((path) => path.trim()).filter((path) => path !== ''))],
    exclude: [...(defaults?.exclude ?? []), ...(agent?.exclude ?? [])],
    ext: {
      extraCollections: uniqueBy(collections, ({ path, pattern }) => `${path}\n${pattern ?? ''}`),
    },
  };
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
