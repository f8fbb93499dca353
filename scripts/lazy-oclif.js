import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';

const REQUIRE = /^const (\w+) = ((?:__importDefault|__importStar)\()?require\("([^"]+)"\)\)?;$/gm;
const OCLIF = dirname(createRequire(import.meta.url).resolve('@oclif/core/package.json'));

/** The modules of @oclif/core needed to run a command. */
const BUNDLED =
  /^lib[\\/](?:args|cache|command|config[\\/]util|flags|interfaces[\\/]theme|logger|screen|parser[\\/].*|errors[\\/](?:errors[\\/].*|index)|help[\\/]util|util[\\/](?:aggregate-flags|fs|ids|util)|ux[\\/](?:list|supports-color|theme|write))\.js$/;

/** Other modules and their public entry points of @oclif/core. */
const ENTRY_POINTS = new Map([
  ['lib/config/index.js', '@oclif/core/config'],
  ['lib/help/index.js', '@oclif/core/help'],
  ['lib/settings.js', '@oclif/core/settings'],
  ['lib/ux/index.js', '@oclif/core/ux'],
]);

/**
 * Number of imports deferred in the release pinned by package.json. Another number means that oclif's
 * compiled code has changed, and that this plugin has to be reviewed.
 */
const EXPECTED_REWRITES = 85;

/** Where oclif ignores that the reader of stdout is gone. */
const STDOUT_HANDLER = /^process\.stdout\.on\('error', (\(err\) => \{$[\s\S]+?^\})\);$/m;

/**
 * A bundler plugin that bundles only what running a command needs from oclif, and loads it on first use.
 *
 * oclif is compiled CommonJS: every import is `const x_1 = require("…")`, used as `x_1.name`. Each becomes
 * a function that requires once. What only help, plugins and spinners need is not bundled but required from
 * public entry points of @oclif/core. On Node 20 an empty command takes 66 ms instead of 87 ms (`node -e 0`
 * takes 49 ms).
 *
 * @returns {import('rolldown').Plugin}
 */
export function lazyOclif() {
  let rewrites = 0;
  return {
    name: 'lazy-oclif',
    transform: {
      filter: { id: /@oclif[\\/]core[\\/]lib[\\/].*\.js$/ },
      handler(code, id) {
        const { text, count } = makeLazy(code, id);
        rewrites += count;
        return text;
      },
    },
    buildEnd(error) {
      if (error !== undefined || rewrites === EXPECTED_REWRITES) return;
      throw new Error(
        `${rewrites} imports of @oclif/core were deferred, expected ${EXPECTED_REWRITES}`,
      );
    },
  };
}

/**
 * @param {string} code compiled CommonJS
 * @param {string} file its absolute path
 * @returns {{text: string, count: number}} the same module with its top-level requires deferred
 */
function makeLazy(code, file) {
  const { resolve } = createRequire(file);
  /** @type {string[]} */
  const names = [];
  let text = code.replace(REQUIRE, (_, name, wrapper = '(', specifier) => {
    names.push(name);
    const load = requireOf(specifier);
    return `let ${name}$value; const ${name} = () => (${name}$value ??= ${wrapper}${load}));`;
  });
  for (const name of names) {
    const use = new RegExp(`(?<![\\w$.])${name}(?=[.)\\],;\\s[])(?! = \\(\\) =>)`, 'g');
    text = text.replace(use, `(${name}())`);
  }
  const withHandler = text.replace(STDOUT_HANDLER, (_, handler) => onFirstUse(handler));
  return { text: withHandler, count: names.length + (withHandler === text ? 0 : 1) };

  /** @param {string} specifier */
  function requireOf(specifier) {
    if (specifier.startsWith('node:')) return `require("${specifier}")`;
    if (!specifier.startsWith('.')) return `$requireAsOclif("${specifier}")`;
    const path = relative(OCLIF, resolve(specifier)).replaceAll('\\', '/');
    if (BUNDLED.test(path)) return `require("${specifier}")`;
    const entry = ENTRY_POINTS.get(path);
    if (entry === undefined) throw new Error(`${file} needs ${path}, which is not an entry point`);
    return `require("${entry}")`;
  }
}

/**
 * Node loads a dozen modules when `process.stdout` is first used, which takes 3 ms. What is printed into a pipe or file
 * needs none of them; see cli/print.ts.
 * @param {string} handler of errors of stdout
 */
function onFirstUse(handler) {
  return `const { get } = Object.getOwnPropertyDescriptor(process, 'stdout');
Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, get() {
  const value = get.call(process);
  Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, value });
  return value.on('error', ${handler});
} });`;
}

/** Defines `$requireAsOclif` for the bundle: requires a package as @oclif/core would resolve it. */
export const REQUIRE_AS_OCLIF =
  "const $requireAsOclif=(name)=>require('node:module').createRequire(require.resolve('@oclif/core/package.json'))(name);";
