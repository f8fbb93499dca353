export { ADAPTER_ALIASES, ADAPTER_IDS, type AdapterId, adapterOf } from './adapters.js';
export type { AgentId } from './agent-id.js';
export { isRecord } from './config-path.js';
export {
  type Discovery,
  discoverConfig,
  type SearchedPlace,
} from './discovery.js';
export type {
  EffectiveConfig,
  EffectiveValue,
  ValueOrigin,
} from './effective.js';
export type { ConfigFault } from './fault.js';
export type { ConfigInput, DeepReadonly } from './input.js';
export {
  type ConfigInspection,
  inspectConfig,
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig,
} from './load.js';
export {
  type LocateSetting,
  locateWritten,
  settingLocator,
  type WrittenSetting,
} from './locate-setting.js';
export {
  allowsDimensions,
  DEFAULT_MODELS,
  type DimensionChoice,
  describeDimensions,
  dimensionsOf,
  dimensionsToAsk,
} from './model-dimensions.js';
export { resolveAgent, resolveAgents, searchedAgents } from './resolve-agent.js';
export { defaultAgentId, listAgents, resolveConfig } from './resolve-config.js';
export type {
  MemorySearchSettings,
  ResolvedAgent,
  ResolvedConfig,
  ResolvedMemory,
  ResolvedMemorySearch,
  ResolvedModelProvider,
  ResolvedRoute,
  ResolvedWebhooks,
} from './resolved.js';
export type { SecretInput } from './secret-input.js';
export { isSessionReader, type SessionReaderId } from './session-readers.js';
export { showConfig } from './show-config.js';
export { suggestName } from './suggest.js';
