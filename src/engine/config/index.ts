// Public API of this room, loaded by every command: nothing here loads the schema. Separate entry
// points: authoring.ts (checks, edits, descriptions), masked-text.ts, trial-settings.ts and
// trust/config-trust.ts.
export type { ConfigFault } from './config-fault.js';
export {
  agentPlaces,
  type ConfigPath,
  DREAMING_PATH,
  formatPath,
  isSameData,
  valueAt,
} from './config-path.js';
export {
  CONFIG_DEFAULTS,
  EXPORT_FORMATS,
  type ExportFormat,
  isSessionReader,
  MEMORY_SEARCH_DEFAULTS,
  MIN_CANDIDATES,
  RUNTIME_DEFAULTS,
  SESSION_READERS,
  type SessionReaderId,
} from './defaults.js';
export { type Discovery, discoverConfig, readConfigText, type SearchedPlace } from './discovery.js';
export * from './load.js';
export * from './resolve-agent.js';
export { defaultAgentId, isAllowedModel, listAgents, resolveConfig } from './resolve-config.js';
export type * from './resolved.js';
export type { ConfigInput, RouteInput } from './schema/index.js';
export {
  ENV_NAME,
  isRouteSecret,
  isSecretPath,
  LEAST_SECRET_CHARS,
  referencedVariable,
  type SecretInput,
  type SecretValue,
  writtenSecrets,
} from './secret-input.js';
export { senderPlaces } from './sender-places.js';
export * from './show-config.js';
