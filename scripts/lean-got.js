const LEFT_OUT = 'throw new Error("this part of got is not in the bundle (scripts/lean-got.js)");';

/** What stands in for each package: enough to be imported, nothing to be used. */
const STAND_INS = new Map([
  [
    'cacheable-request',
    `export class CacheError extends Error {}
     export default class { constructor() { ${LEFT_OUT} } }`,
  ],
  ['cacheable-lookup', `export default class { constructor() { ${LEFT_OUT} } }`],
  ['http2-wrapper', `export default { globalAgent: undefined, get auto() { ${LEFT_OUT} } };`],
]);

const PREFIX = '\0lean-got:';

/**
 * A bundler plugin that leaves out of got what no request here asks for: the cache of answers, the
 * cache of host names, and HTTP/2, which would also make Node.js load its own. Together they are half
 * of the time that a question to a provider takes to be sent.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanGot() {
  return {
    name: 'lean-got',
    resolveId: {
      filter: { id: /^(?:cacheable-request|cacheable-lookup|http2-wrapper)$/ },
      handler: (path, importer) =>
        importer?.includes('/got/') === true ? `${PREFIX}${path}` : undefined,
    },
    load: {
      filter: { id: /lean-got:/ },
      handler: (id) => STAND_INS.get(id.slice(PREFIX.length)),
    },
  };
}
