const LEFT_OUT = 'throw new Error("this part of got is not in the bundle (scripts/lean-got.js)");';

/** Stubs for each package: they can be imported but not used. */
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

/** In the library that checks got's options, for messages about wrong types. */
const FORMATTERS = /= (new Intl\.ListFormat\(.+\));/g;

/**
 * A bundler plugin that removes unused parts of got: the response cache, the DNS cache, and HTTP/2, which
 * would also load Node's own. Together they take half the time of preparing a request to a provider. What is
 * left creates its formatters when it needs one: Node.js takes longer for the first than for the rest of got.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanGot() {
  /** @type {Set<string>} */
  const replaced = new Set();
  let formatters = 0;
  return {
    name: 'lean-got',
    resolveId: {
      filter: { id: /^(?:cacheable-request|cacheable-lookup|http2-wrapper)$/ },
      handler(path, importer) {
        if (importer?.includes('/got/') !== true) return undefined;
        replaced.add(path);
        return `${PREFIX}${path}`;
      },
    },
    load: {
      filter: { id: /lean-got:/ },
      handler: (id) => STAND_INS.get(id.slice(PREFIX.length)),
    },
    transform: {
      filter: { id: /[\\/]@sindresorhus[\\/]is[\\/]/ },
      handler: (code) =>
        code.replaceAll(FORMATTERS, (_, formatter) => {
          formatters += 1;
          return `= { format: (list) => ${formatter}.format(list) };`;
        }),
    },
    buildEnd(error) {
      if (error !== undefined) return;
      if (formatters === 0) throw new Error('got no longer formats lists: remove that here');
      if (replaced.size === STAND_INS.size) return;
      throw new Error(
        `got asked for ${replaced.size} of ${STAND_INS.size} parts that are left out`,
      );
    },
  };
}
