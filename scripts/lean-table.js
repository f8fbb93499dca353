const WIDTH = '\0lean-table:width';

/**
 * A bundler plugin that lets cli-table3 measure text as svc does. Its own `string-width` compiles a pattern of all emoji
 * for the first cell, which takes 5 ms.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanTable() {
  let replaced = 0;
  return {
    name: 'lean-table',
    resolveId: {
      filter: { id: /^string-width$/ },
      handler(_, importer) {
        if (importer?.includes('/cli-table3/') !== true) return undefined;
        replaced += 1;
        return WIDTH;
      },
    },
    load: (id) =>
      id === WIDTH ? 'module.exports = require("fast-string-width").default;' : undefined,
    buildEnd(error) {
      if (error !== undefined || replaced > 0) return;
      throw new Error('cli-table3 measures text in another way now (scripts/lean-table.js)');
    },
  };
}
