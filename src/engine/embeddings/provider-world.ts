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
import type { EngineContext } from '../support/context.js';

/** What choosing a provider needs besides one agent's settings. */
export interface ProviderWorld extends Pick<EngineContext, 'env' | 'homeDir' | 'onSecret'> {
  readonly config: Pick<ResolvedConfig, 'models' | 'secrets'>;
  readonly stateDir: string;
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
  const loaded = await loadConfig(context, { configFile });
  const agent = resolveAgent(loaded, agentId, context);
  const { warnings } = loaded;
  const world = providerWorld(loaded, context);
  const locate = settingLocator(loaded, agent.id);
  return { agentId: agent.id, settings: agent.memorySearch, world, locate, warnings };
}
