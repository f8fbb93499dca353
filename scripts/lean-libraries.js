import { fileURLToPath } from 'node:url';

const FIT = JSON.stringify(fileURLToPath(new URL('../src/ui/fit.ts', import.meta.url)));
const LEFT_OUT = 'throw new Error("this is not in the bundle (scripts/lean-libraries.js)");';

/**
 * What some libraries get instead of a module, and how many of their files import it.
 *
 * @type {readonly { module: string, importer: RegExp, imports: number, code: string }[]}
 */
const STAND_INS = [
  // The response cache of got, its DNS cache, and HTTP/2, which would also load Node's own. None of them is used, and
  // together they take half the time of preparing a request to a provider.
  {
    module: 'cacheable-request',
    importer: /\/got\//,
    imports: 1,
    code: `
      export class CacheError extends Error {}
      export default class { constructor() { ${LEFT_OUT} } }`,
  },
  {
    module: 'cacheable-lookup',
    importer: /\/got\//,
    imports: 1,
    code: `export default class { constructor() { ${LEFT_OUT} } }`,
  },
  {
    module: 'http2-wrapper',
    importer: /\/got\//,
    imports: 1,
    code: `export default { globalAgent: undefined, get auto() { ${LEFT_OUT} } };`,
  },
  // By which pg tells Cloudflare's runtime from Node.js: to do so it uses the global Response, which loads Node's whole
  // HTTP client, a tenth of a search on a server. This is what it does in Node.js.
  {
    module: './stream',
    importer: /\/pg\/lib\//,
    imports: 1,
    code: `
      exports.getStream = () => new (require('node:net').Socket)();
      exports.getSecureStream = (options) => require('node:tls').connect(options);`,
  },
  // Ink measures text as the screens do, which has a short way for what needs no tables. Compiling the regular expressions
  // of its own takes longer than everything else of a frame.
  {
    module: 'string-width',
    importer: /\/node_modules\/(?:ink|cli-truncate)\//,
    imports: 4,
    code: `export { textWidth as default } from ${FIT};`,
  },
  // The JSON Schema validator of the MCP SDK, which a server needs only for requests to its client; ours makes none.
  {
    module: '@modelcontextprotocol/server/_shims',
    importer: /\/@modelcontextprotocol\//,
    imports: 3,
    code: `
      export { default as process } from 'node:process';
      export class DefaultJsonSchemaValidator { constructor() { ${LEFT_OUT} } }`,
  },
  // That of cli-table3 compiles a pattern of all emoji for the first cell, which takes 5 ms.
  {
    module: 'string-width',
    importer: /\/cli-table3\//,
    imports: 1,
    code: 'module.exports = require("fast-string-width").default;',
  },
];

/** As the package's own entry, without waiting: CommonJS has no top-level await. Compiling takes 2 ms. */
const YOGA = `
  import load, { WASM } from '../binaries/yoga-wasm-base64-esm.js';
  import wrapAssembly from './wrapAssembly.js';
  const yoga = {
    instantiateWasm(imports, onReady) {
      const code = new WebAssembly.Module(Buffer.from(WASM, 'base64'));
      onReady(new WebAssembly.Instance(code, imports));
    },
  };
  load(yoga);
  export default wrapAssembly(yoga);
  export * from './generated/YGEnums.js';`;

const WASM = /"data:application\/octet-stream;base64,([\w+/=]+)"/;
const SEGMENTER = /new Intl\.Segmenter\(undefined, ?\{ ?granularity: ['"]grapheme['"] ?\}\)/;

/** Nearly every cell of a screen has the styles of the one before it; comparing them took half of the first frame. */
const SAME_STYLES = `
  if (from.length === to.length && from.every(({ code }, at) => code === to[at].code)) return [];`;

/** One for all cells that nothing is written to: they are replaced, never changed. */
const BLANK_CELL = /^(.*?)row\.push\((\{\s*type: 'char',\s*value: ' ',[^}]*\})\)/s;

/**
 * The files of libraries that are changed. Ink becomes CommonJS, whose compiled code is kept (bin/run.js), and its layout
 * engine no longer gets its code from a data: URL with fetch, which loads Node's whole HTTP client. The bridge to React
 * DevTools, only for developing screens, is left out.
 *
 * @type {ReadonlyMap<string, (code: string) => string>}
 */
const REWRITES = new Map([
  // For messages about wrong options of got: Node.js takes longer for the first formatter than for the rest of got.
  [
    '@sindresorhus/is/distribution/index.js',
    (code) =>
      code.replaceAll(
        /= (new Intl\.ListFormat\(.+\));/g,
        '= { format: (list) => $1.format(list) };',
      ),
  ],
  ['yoga-layout/dist/src/index.js', () => YOGA],
  [
    'yoga-layout/dist/binaries/yoga-wasm-base64-esm.js',
    (code) => `${code.replace(WASM, '""')};\nexport const WASM = '${WASM.exec(code)?.[1] ?? ''}';`,
  ],
  [
    'ink/build/reconciler.js',
    (code) =>
      code
        .replace("await import('./devtools.js')", 'undefined')
        .replace('await loadPackageJson()', 'undefined'),
  ],
  [
    '@alcalzone/ansi-tokenize/build/tokenize.js',
    (code) => `import { splitGraphemes } from ${FIT};
      function* segments(text) {
        let index = 0;
        for (const segment of splitGraphemes(text)) {
          yield { segment, index };
          index += segment.length;
        }
      }
      ${code.replace(SEGMENTER, '{ segment: segments }')}`,
  ],
  [
    '@alcalzone/ansi-tokenize/build/diff.js',
    (code) => code.replace('export function diffAnsiCodes(from, to) {', `$&${SAME_STYLES}`),
  ],
  [
    'ink/build/output.js',
    (code) => code.replace(BLANK_CELL, 'const BLANK = $2;\n$1row.push(BLANK)'),
  ],
  // Making its patterns takes half a millisecond, and most texts that svc shows need none of them.
  [
    'fast-string-truncated-width/dist/index.js',
    (code) =>
      code
        .replace(PATTERNS, '')
        .replace('/* CONSTANTS */', () => code.match(PATTERNS)?.join('') ?? ''),
  ],
  [
    'slice-ansi/tokenize-ansi.js',
    (code) => code.replace(SEGMENTER, '{ segment: (text) => new Intl.Segmenter().segment(text) }'),
  ],
]);

/** Of regular expressions. */
const PATTERNS = /^const \w+_RE = .+\n/gm;

const PREFIX = '\0lean-libraries:';

/**
 * A bundler plugin that leaves out or replaces what svc does not need of libraries, or not in the way they do it: a request
 * to a provider, a search on a server, a table and the first frame of a screen start in half of the time. Other releases
 * than those that package-lock.json pins may need other changes.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanLibraries() {
  const imports = STAND_INS.map(() => 0);
  const notRewritten = new Set(REWRITES.keys());
  return {
    name: 'lean-libraries',
    resolveId(module, importer = '') {
      const path = importer.replaceAll('\\', '/');
      const at = STAND_INS.findIndex((one) => one.module === module && one.importer.test(path));
      if (at === -1) return undefined;
      imports[at] += 1;
      return `${PREFIX}${at}`;
    },
    load: {
      filter: { id: /lean-libraries:/ },
      handler: (id) => STAND_INS[id.slice(PREFIX.length)].code,
    },
    transform: {
      filter: {
        id: /[\\/](?:yoga-layout|ink|ansi-tokenize|slice-ansi|is|fast-string-truncated-width)[\\/][^\n]*\.js$/,
      },
      handler(code, id) {
        const path = id.replaceAll('\\', '/');
        const [file, rewrite] =
          [...REWRITES].find(([name]) => path.endsWith(`/node_modules/${name}`)) ?? [];
        const lean = rewrite?.(code);
        if (lean === undefined || lean === code) return undefined;
        notRewritten.delete(file);
        return lean;
      },
    },
    buildEnd(error) {
      if (error !== undefined) return;
      for (const [at, { module, imports: expected }] of STAND_INS.entries()) {
        if (imports[at] === expected) continue;
        throw new Error(`${imports[at]} files import ${module}, expected ${expected}`);
      }
      if (notRewritten.size === 0) return;
      throw new Error(`nothing was replaced in ${[...notRewritten].join(', ')}`);
    },
  };
}
