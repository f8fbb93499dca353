import { fileURLToPath } from 'node:url';

const FIT = JSON.stringify(fileURLToPath(new URL('../src/ui/fit.ts', import.meta.url)));

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

/** Measures as the screens do: compiling its regular expressions takes longer than everything else of a frame. */
const STRING_WIDTH = `export { textWidth as default } from ${FIT};`;

/** Nearly every cell of a screen has the styles of the one before it; comparing them took half of the first frame. */
const SAME_STYLES = `
  if (from.length === to.length && from.every(({ code }, at) => code === to[at].code)) return [];`;

/** One for all cells that nothing is written to: they are replaced, never changed. */
const BLANK_CELL = /^(.*?)row\.push\((\{\s*type: 'char',\s*value: ' ',[^}]*\})\)/s;

/**
 * What is replaced, by file: each must be there.
 * @type {ReadonlyMap<string, (code: string) => string>}
 */
const REWRITES = new Map([
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
  [
    'slice-ansi/tokenize-ansi.js',
    (code) => code.replace(SEGMENTER, '{ segment: (text) => new Intl.Segmenter().segment(text) }'),
  ],
]);
/** The files that measure text. */
const MEASURING = 4;
const FROM_INK = /[\\/]node_modules[\\/](?:ink|cli-truncate)[\\/]/;
const PREFIX = '\0lean-ink:';

/**
 * A bundler plugin that draws the first frame of a screen in half of the time. Ink becomes CommonJS, whose compiled code
 * is kept (bin/run.js). Its layout engine no longer gets its code from a data: URL with fetch, which loads Node's whole
 * HTTP client. Text is measured and split by ui/fit.ts, which has a short way for what needs no tables. The styles of
 * neighbouring cells are only compared in detail if they differ. The bridge to React DevTools, only for developing screens,
 * is left out.
 *
 * @returns {import('rolldown').Plugin}
 */
export function leanInk() {
  let rewrites = 0;
  let measuring = 0;
  return {
    name: 'lean-ink',
    resolveId: {
      filter: { id: /^string-width$/ },
      handler(path, importer) {
        if (!FROM_INK.test(importer ?? '')) return undefined;
        measuring += 1;
        return `${PREFIX}${path}`;
      },
    },
    load: { filter: { id: /lean-ink:/ }, handler: () => STRING_WIDTH },
    transform: {
      filter: { id: /[\\/](?:yoga-layout|ink|ansi-tokenize|slice-ansi)[\\/][^\n]*\.js$/ },
      handler(code, id) {
        const path = id.replaceAll('\\', '/');
        const rewrite = [...REWRITES].find(([file]) => path.endsWith(`/node_modules/${file}`))?.[1];
        const lean = rewrite?.(code);
        if (lean === undefined || lean === code) return undefined;
        rewrites += 1;
        return lean;
      },
    },
    buildEnd(error) {
      if (error !== undefined) return;
      if (rewrites === REWRITES.size && measuring === MEASURING) return;
      throw new Error(`${rewrites} files of ink were rewritten, and ${measuring} measure text`);
    },
  };
}
