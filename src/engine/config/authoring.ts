// Checking, editing and describing a configuration. Separate from index.ts, which every command
// loads, because everything here loads the schema or a JSON parser with comments.
export { type CheckedConfig, checkConfigText, requireValid } from './check.js';
export { checkConfigFile, loadConfigText } from './check-file.js';
export type { ConfigFault } from './config-fault.js';
export { isBlankJson, parseConfigText, textPositions } from './document.js';
export {
  type ConfigEdit,
  changeConfigValue,
  requireValidEdit,
  setConfigValue,
  unsetConfigValue,
  type ValueEdit,
} from './edit-config.js';
export { editJson, jsonInsertions, type Misfit, removeValue } from './edit-json.js';
export { fixFault } from './fix-fault.js';
export {
  configTemplate,
  type InitializedConfig,
  initConfig,
  writeSchemaFile,
} from './init-config.js';
export { endOf, leavesOf, nodeAt, type ParseError, parseTree, treeOf } from './jsonc.js';
export { type ConfigValue, getConfigValue } from './known-path.js';
export { PROVIDER_SETTINGS } from './merge-settings.js';
export { promptStyle } from './schema/plugins.js';
export {
  createJsonSchema,
  type JsonSchema,
  type ReferenceKey,
  referenceByRoot,
  valuesOfKey,
} from './schema-documents.js';
export {
  configTextNow,
  EMPTY_CONFIG,
  replaceConfig,
  requireUnchanged,
  withConfigLock,
} from './write-config.js';
