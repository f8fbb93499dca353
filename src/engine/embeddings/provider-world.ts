import {
  type LoadedConfig,
  type LocateSetting,
  loadConfig,
  type ResolvedMemorySearch,
  resolveAgent,
  settingLocator,
} from '../config/index.js';
import type { EngineContext } from '../context.js';
import type { Warning } from '../errors/index.js';
import type { ProviderWorld } from './choose-provider.js';

/** What choosing providers looks at, for a configuration. */
export function providerWorld(loaded: LoadedConfig, context: EngineContext): ProviderWorld {
  return {
    config: loaded.resolved,
    env: context.env,
    homeDir: context.homeDir,
    stateDir: context.state.stateDir,
    onSecret: context.onSecret,
  };
}

/** One agent's settings, for those who look at its providers and not at its memory. */
export interface AgentProviders {
  readonly agentId: string;
  readonly settings: ResolvedMemorySearch;
  readonly world: ProviderWorld;
  readonly locate: LocateSetting;
  readonly warnings: readonly Warning[];
}

/**
 * Loads what one agent's providers are told by.
 *
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
  const loaded = await loadConfig(context, { configFile });
  const agent = resolveAgent(loaded, agentId, context);
  const { warnings } = loaded;
  const world = providerWorld(loaded, context);
  const locate = settingLocator(loaded, agent.id);
  return { agentId: agent.id, settings: agent.memorySearch, world, locate, warnings };
}
