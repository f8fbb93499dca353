const SHIMS = '@modelcontextprotocol/server/_shims';
const STAND_IN = '\0lean-mcp:shims';

/**
 * A bundler plugin that leaves the validator of JSON Schemas (ajv) out of the protocol's SDK. A server
 * needs it for what it asks its client, and ours asks nothing; loading it takes a third of the time
 * that loading the whole SDK takes.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanMcp() {
  return {
    name: 'lean-mcp',
    resolveId: {
      filter: { id: /^@modelcontextprotocol\/server\/_shims$/ },
      handler: (path) => (path === SHIMS ? STAND_IN : undefined),
    },
    load: {
      filter: { id: /lean-mcp:/ },
      handler: () => `
        export { default as process } from 'node:process';
        export class DefaultJsonSchemaValidator {
          constructor() { throw new Error('ajv is not in the bundle (scripts/lean-mcp.js)'); }
        }`,
    },
  };
}
