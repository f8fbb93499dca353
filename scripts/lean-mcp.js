import { readFileSync } from 'node:fs';

/** Marks modules that the MCP SDK gets its own copy of. */
const OWN = '?mcp';
/** By which names the release that package-lock.json pins imports zod. */
const EXPECTED = 'zod, zod/v4';
const USERS_OF_ALL_ZOD = /[\\/]@modelcontextprotocol[\\/]|[\\/]engine[\\/]mcp[\\/]tools[\\/]/;

/**
 * A bundler plugin that gives the MCP SDK its own full copy of zod: otherwise every command that reads a configuration,
 * which needs a third of zod, would load all of it.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanMcp() {
  const own = new Set();
  return {
    name: 'lean-mcp',
    resolveId: {
      filter: { id: /^(?:zod(?:\/|$)|\.{1,2}\/)/ },
      async handler(path, importer = '') {
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
      filter: { id: /\?mcp$/ },
      handler: (id) => ({
        code: readFileSync(id.slice(0, -OWN.length), 'utf8'),
        moduleType: 'js',
      }),
    },
    buildEnd(error) {
      const actual = [...own].sort().join(', ');
      if (error !== undefined || actual === EXPECTED) return;
      throw new Error(`the SDK of the protocol imports zod as ${actual}, not ${EXPECTED}`);
    },
  };
}
