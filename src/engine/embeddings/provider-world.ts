import {
  type LoadedConfig,
  type LocateSetting,
  loadConfig,
  type ResolvedConfig,
  type ResolvedMemorySearch,
  resolveAgent,
  settingLocator,
} from '../config/index.js';
import type { Warning } from '../errors/index.js';
import type { EngineContext, OnSecret } from '../support/context.js';

/** What choosing a provider needs besides one agent's settings. */
export interface ProviderWorld {
  readonly config: Pick<ResolvedConfig, 'models' | 'secrets'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly stateDir: string;
  /** Called with each secret that is read. */
  readonly onSecret?: OnSecret | undefined;
}

export function providerWorld(loaded: LoadedConfig, context: EngineContext): ProviderWorld {
  return {
    config: loaded.resolved,
    env: context.env,
    homeDir: context.homeDir,
    stateDir: context.state.stateDir,
    onSecret: context.onSecret,
  };
}

/** Everything needed to choose one agent's providers. */
export interface AgentProviders {
  readonly agentId: string;
  readonly settings: ResolvedMemorySearch;
  readonly world: ProviderWorld;
  readonly locate: LocateSetting;
  readonly warnings: readonly Warning[];
}

/**
 * @param agentId undefined means the default agent
 * @throws SvcError AGENT_UNKNOWN, CONFIG_*
 */
export async function loadAgentProviders(
  context: EngineContext,
  {
    agentId,
    configFile,
  }: { readonly agentId?: string | undefined; readonly configFile?: string | undefined },
): Promise<AgentProviders> {
  return agentProviders(await loadConfig(context, { configFile }), agentId, context);
}

/**
 * The same in a configuration that was loaded.
 *
 * @param locate finds where a setting is written; by default in the file
 * @throws SvcError AGENT_UNKNOWN
 */
export function agentProviders(
  loaded: LoadedConfig,
  agentId: string | undefined,
  context: EngineContext,
  locate?: LocateSetting,
): AgentProviders {
  const { id, memorySearch: settings } = resolveAgent(loaded, agentId, context);
  return {
    agentId: id,
    settings,
    world: providerWorld(loaded, context),
    locate: locate ?? settingLocator(loaded, id),
    warnings: loaded.warnings,
  };
}
