import { readFileSync } from 'node:fs';

const SHIMS = '@modelcontextprotocol/server/_shims';
const STAND_IN = '\0lean-mcp:shims';
/** Marks modules that the MCP SDK gets its own copy of. */
const OWN = '?mcp';
/** Number of replacements in the release pinned by package-lock.json. */
const EXPECTED = '3 shims, zod as zod, zod/v4';
const USERS_OF_ALL_ZOD = /[\\/]@modelcontextprotocol[\\/]|[\\/]engine[\\/]mcp[\\/]tools[\\/]/;

/**
 * A bundler plugin that keeps the MCP SDK from slowing down other commands, and itself.
 *
 * It removes the SDK's JSON Schema validator (ajv), which a server needs only for requests to its client;
 * ours makes none. It also gives the SDK its own full copy of zod: otherwise every command that reads a
 * configuration, which needs a third of zod, would load all of it.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanMcp() {
  let shims = 0;
  const own = new Set();
  return {
    name: 'lean-mcp',
    resolveId: {
      filter: { id: /^(?:@modelcontextprotocol\/server\/_shims$|zod(?:\/|$)|\.{1,2}\/)/ },
      async handler(path, importer = '') {
        if (path === SHIMS) {
          shims += 1;
          return STAND_IN;
        }
        const isOwn = importer.endsWith(OWN);
        if (!isOwn && !(path.startsWith('zod') && USERS_OF_ALL_ZOD.test(importer))) return null;
        const from = isOwn ? importer.slice(0, -OWN.length) : importer;
        const found = await this.resolve(path, from, { skipSelf: true });
        if (found === null) return null;
        if (path.startsWith('zod')) own.add(path);
        return { ...found, id: `${found.id}${OWN}` };
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
    buildEnd(error) {
      const actual = `${shims} shims, zod as ${[...own].sort().join(', ')}`;
      if (error !== undefined || actual === EXPECTED) return;
      throw new Error(`the SDK of the protocol is made of other parts: ${actual}, not ${EXPECTED}`);
    },
  };
}
