import { canonicalProvider } from './adapters.js';
import { type AgentId, MAIN_AGENT, toAgentId } from './agent-id.js';
import {
  ACTIVE_MEMORY_DEFAULTS,
  GATEWAY_DEFAULTS,
  LOGGING_DEFAULTS,
  MEMORY_CORE_DEFAULTS,
  SECRETS_DEFAULTS,
  SESSIONS_DEFAULTS,
} from './defaults.js';
import type {
  AgentInput,
  AgentsInput,
  ConfigInput,
  ModelProviderInput,
  SecretsInput,
} from './input.js';
import { deepFreeze, mergeSettings } from './merge.js';
import {
  resolveFlows,
  resolveMemory,
  resolveSecretProvider,
  resolveWebhooks,
} from './resolve-features.js';
import { parseSecrets, resolveMemorySearch } from './resolve-memory-search.js';
import type {
  AgentSettings,
  ResolvedConfig,
  ResolvedModelProvider,
  SessionReader,
} from './resolved.js';
import { parseSecret, type SecretDefaults } from './secret-input.js';

/**
 * Fills in every default of a configuration that has no faults. Pure; the result is deeply frozen.
 * Without agents there is one, `main`; without a marked one the first is the default.
 */
export function resolveConfig(input: ConfigInput): ResolvedConfig {
  const secrets = resolveSecrets(input.secrets);
  const aliases = secrets.defaults;
  const entries = input.plugins?.entries;
  return deepFreeze<ResolvedConfig>({
    agents: resolveAgents(input.agents, aliases),
    models: { providers: resolveModelProviders(input.models?.providers, aliases) },
    memory: resolveMemory(input.memory),
    sessions: { readers: (input.sessions?.readers ?? SESSIONS_DEFAULTS.readers).map(toReader) },
    plugins: {
      entries: {
        'memory-core': mergeSettings(MEMORY_CORE_DEFAULTS, entries?.['memory-core']),
        'active-memory': mergeSettings(ACTIVE_MEMORY_DEFAULTS, entries?.['active-memory']),
        webhooks: resolveWebhooks(entries?.webhooks, aliases),
      },
    },
    gateway: mergeSettings(GATEWAY_DEFAULTS, input.gateway),
    flows: resolveFlows(input.flows, aliases),
    secrets,
    logging: mergeSettings(LOGGING_DEFAULTS, input.logging),
  });
}

function resolveAgents(
  agents: AgentsInput | undefined,
  secretDefaults: SecretDefaults,
): ResolvedConfig['agents'] {
  const { defaults = {}, list = [] } = agents ?? {};
  const written: readonly AgentInput[] = list.length === 0 ? [{ id: MAIN_AGENT }] : list;
  const marked = written.findIndex((agent) => agent.default === true);
  const settings = written.map(
    (agent, at): AgentSettings => ({
      id: toAgentId(agent.id),
      default: at === Math.max(marked, 0),
      ...(agent.workspace === undefined ? {} : { workspace: agent.workspace }),
      memorySearch: resolveMemorySearch(defaults.memorySearch, agent.memorySearch, secretDefaults),
    }),
  );
  return {
    defaults: {
      ...defaults,
      memorySearch: resolveMemorySearch(defaults.memorySearch, undefined, secretDefaults),
    },
    list: settings,
  };
}

function resolveModelProviders(
  providers: Readonly<Record<string, ModelProviderInput>> | undefined,
  secretDefaults: SecretDefaults,
): Readonly<Record<string, ResolvedModelProvider>> {
  return Object.fromEntries(
    Object.entries(providers ?? {}).map(([id, { api, apiKey, headers, models, ...rest }]) => [
      id,
      {
        ...rest,
        ...(api === undefined ? {} : { api: canonicalProvider(api) }),
        ...(apiKey === undefined ? {} : { apiKey: parseSecret(apiKey, secretDefaults) }),
        headers: parseSecrets(headers, secretDefaults),
        models: models ?? [],
      },
    ]),
  );
}

function resolveSecrets(input: SecretsInput = {}): ResolvedConfig['secrets'] {
  const { providers = {}, ...rest } = input;
  return {
    ...mergeSettings(SECRETS_DEFAULTS, rest),
    providers: Object.fromEntries(
      Object.entries(providers).map(([alias, entry]) => [alias, resolveSecretProvider(entry)]),
    ),
  };
}

function toReader(reader: string | SessionReader): SessionReader {
  return typeof reader === 'string' ? { id: reader } : reader;
}

/** The ids of all agents, in the order of the configuration; never empty. */
export function listAgents(config: ResolvedConfig): readonly AgentId[] {
  return config.agents.list.map((agent) => agent.id);
}

/** The agent that is meant when none is named. */
export function defaultAgentId(config: ResolvedConfig): AgentId {
  const agent = config.agents.list.find((candidate) => candidate.default);
  return agent?.id ?? toAgentId(MAIN_AGENT);
}
