import { readFileSync } from 'node:fs';

const SHIMS = '@modelcontextprotocol/server/_shims';
const STAND_IN = '\0lean-mcp:shims';
/** Marks the modules of which the protocol has a copy of its own. */
const OWN = '?mcp';
const USERS_OF_ALL_ZOD = /[\\/]@modelcontextprotocol[\\/]|[\\/]engine[\\/]mcp[\\/]/;

/**
 * A bundler plugin that keeps the protocol's SDK from weighing on anybody, itself included.
 *
 * It leaves out the SDK's validator of JSON Schemas (ajv): a server needs it for what it asks its
 * client, and ours asks nothing. And it gives the SDK zod by itself, whole: shared with the
 * configuration's schemas, which need a third of it, all of it would be loaded by every command that
 * reads a configuration.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanMcp() {
  return {
    name: 'lean-mcp',
    resolveId: {
      filter: { id: /^(?:@modelcontextprotocol\/server\/_shims$|zod(?:\/|$)|\.{1,2}\/)/ },
      async handler(path, importer = '') {
        if (path === SHIMS) return STAND_IN;
        const isOwn = importer.endsWith(OWN);
        if (!isOwn && !(path.startsWith('zod') && USERS_OF_ALL_ZOD.test(importer))) return null;
        const from = isOwn ? importer.slice(0, -OWN.length) : importer;
        const found = await this.resolve(path, from, { skipSelf: true });
        return found === null ? null : { ...found, id: `${found.id}${OWN}` };
      },
    },
    load: {
      filter: { id: /lean-mcp:|\?mcp$/ },
      handler(id) {
        if (id !== STAND_IN)
          return { code: readFileSync(id.slice(0, -OWN.length), 'utf8'), moduleType: 'js' };
        return `
          export { default as process } from 'node:process';
          export class DefaultJsonSchemaValidator {
            constructor() { throw new Error('ajv is not in the bundle (scripts/lean-mcp.js)'); }
          }`;
      },
    },
  };
}
