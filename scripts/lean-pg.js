const PREFIX = '\0lean-pg:';

/** What pg's own file does in Node.js. */
const STREAM = `
  exports.getStream = () => new (require('node:net').Socket)();
  exports.getSecureStream = (options) => require('node:tls').connect(options);`;

/**
 * A bundler plugin that replaces the file by which pg tells Cloudflare's runtime from Node.js: to do so it uses the
 * global Response, which loads Node's whole HTTP client, a tenth of a search on a server.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanPg() {
  let isReplaced = false;
  return {
    name: 'lean-pg',
    resolveId: {
      filter: { id: /^\.\/stream$/ },
      handler(_path, importer) {
        if (importer?.includes('/pg/lib/') !== true) return undefined;
        isReplaced = true;
        return `${PREFIX}stream.cjs`;
      },
    },
    load: { filter: { id: /lean-pg:/ }, handler: () => ({ code: STREAM, moduleType: 'js' }) },
    buildEnd(error) {
      if (error === undefined && !isReplaced) throw new Error('pg no longer asks for its streams');
    },
  };
}
