// What the `svc config` commands use besides index.ts. Apart from it, because everything here loads
// the schema, and index.ts is on the way of every command.
export { type ConfigEdit, setConfigValue, unsetConfigValue } from './edit/edit-config.js';
export { type ConfigValue, getConfigValue } from './get-config.js';
export { type InitializedConfig, initConfig } from './init-config.js';
export { createJsonSchema, type JsonSchema } from './json-schema.js';
export { type ReferenceKey, referenceByRoot } from './reference.js';
