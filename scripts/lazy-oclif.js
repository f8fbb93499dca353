import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

const REQUIRE =
  /^(?:const|var) (\w+) = ((?:__importDefault|__importStar)\()?require\((["'])([^"']+)\3\)\)?;$/gm;
const OCLIF = dirname(createRequire(import.meta.url).resolve('@oclif/core/package.json'));

/** The modules of @oclif/core needed to run a command. */
const RUNS_COMMANDS =
  /^lib\/(?:args|cache|command|config\/util|flags|interfaces\/theme|logger|screen|settings|parser\/.*|errors\/.*|help\/util|util\/(?:aggregate-flags|fs|ids|util)|ux\/(?:list|supports-color|theme|write))\.js$/;

/** What these load for anything else: modules of @oclif/core, and packages. */
const FOR_HELP = [
  'lib/config/index.js',
  'lib/help/index.js',
  'lib/ux/index.js',
  'ansis',
  'clean-stack',
  'debug',
  'ejs',
  'indent-string',
  'supports-color',
  'wordwrap',
  'wrap-ansi',
];

/** What loads ES modules and TypeScript, which code that is kept compiled cannot. */
const FOR_PLUGINS = ['lib/module-loader.js', 'lib/config/ts-path.js'];

/** Packages that neither commands nor their help use. They stay in the installed @oclif/core: half as much as is bundled. */
const UNUSED = ['ansi-escapes', 'cli-spinners', 'lilconfig', 'minimatch', 'tinyglobby'];

const { resolve } = createRequire(join(OCLIF, 'package.json'));
/** Detects WSL; the package that oclif gets this from loads more than it. */
export const IS_WSL = createRequire(resolve('wsl-utils')).resolve('is-wsl');

/** The files that help needs, and no command. */
export const HELP_FILES = FOR_HELP.map(fileOf);

/** An entry that loads one of the parts above; see {@link OCLIF_PART}. */
export const OCLIF_PARTS = '\0oclif-parts';

/** Defines `$oclifPart` in a chunk: a part of oclif that the chunk must not load before it is used. */
export const OCLIF_PART = `const $oclifPart=(name)=>require('./oclif-parts.js').parts[name]();
const $requireAsOclif=(name)=>require('node:module').createRequire(require.resolve('@oclif/core/package.json'))(name);`;

/**
 * Number of imports deferred in the release pinned by package.json. Another number means that oclif's
 * compiled code has changed, and that this plugin has to be reviewed.
 */
const EXPECTED_REWRITES = 252;

/** Where oclif ignores that the reader of stdout is gone. */
const STDOUT_HANDLER = /^process\.stdout\.on\('error', (\(err\) => \{$[\s\S]+?^\})\);$/m;

/**
 * A bundler plugin that bundles oclif so that each of its modules is loaded on first use.
 *
 * oclif is compiled CommonJS: every import is `const x_1 = require("…")`, used as `x_1.name`. Each becomes
 * a function that requires once. What only help and plugins need is in other files than what commands need. On
 * Node 20 an empty command takes 66 ms instead of 87 ms (`node -e 0` takes 49 ms).
 *
 * @returns {import('rolldown').Plugin}
 */
export function lazyOclif() {
  let rewrites = 0;
  return {
    name: 'lazy-oclif',
    resolveId: (id) => (id === OCLIF_PARTS ? id : undefined),
    load: (id) => (id === OCLIF_PARTS ? partsModule() : undefined),
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

function partsModule() {
  const parts = [...FOR_HELP, ...FOR_PLUGINS].map(
    (name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(fileOf(name))})`,
  );
  return `export const parts = { ${parts.join(', ')} };`;
}

/**
 * @param {string} code compiled CommonJS
 * @param {string} file its absolute path
 * @returns {{text: string, count: number}} the same module with its top-level requires deferred
 */
function makeLazy(code, file) {
  const { resolve: resolveHere } = createRequire(file);
  /** @type {string[]} */
  const names = [];
  let text = code.replace(REQUIRE, (_, name, wrapper = '(', __, specifier) => {
    names.push(name);
    const load = requireOf(specifier);
    return `let ${name}$value; const ${name} = () => (${name}$value ??= ${wrapper}${load}));`;
  });
  for (const name of names) {
    const use = new RegExp(`(?<![\\w$.])${name}(?=[.)\\],;\\s([])(?! = \\(\\) =>)`, 'g');
    text = text.replace(use, `(${name}())`);
  }
  let count = names.length;
  for (const [pattern, replacement] of REPLACED) {
    const before = text;
    text = text.replace(pattern, replacement);
    if (text !== before) count++;
  }
  return { text, count };

  /** @param {string} specifier */
  function requireOf(specifier) {
    if (specifier.startsWith('node:')) return `require("${specifier}")`;
    const moduleName = specifier.startsWith('.') ? nameOf(resolveHere(specifier)) : specifier;
    if (UNUSED.includes(moduleName)) return `$requireAsOclif("${moduleName}")`;
    const importer = nameOf(file);
    const isForPlugins = FOR_PLUGINS.includes(moduleName) && !FOR_PLUGINS.includes(importer);
    const isForHelp = RUNS_COMMANDS.test(importer) && !RUNS_COMMANDS.test(moduleName);
    if (!isForPlugins && !isForHelp) return `require("${specifier}")`;
    if (isForPlugins || FOR_HELP.includes(moduleName)) return `$oclifPart("${moduleName}")`;
    throw new Error(`${file} needs ${moduleName}, which is in no list of scripts/lazy-oclif.js`);
  }
}

/** @param {string} path absolute */
function nameOf(path) {
  return relative(OCLIF, path).replaceAll('\\', '/');
}

/** @param {string} name of a module of @oclif/core, or of a package */
function fileOf(name) {
  return name.startsWith('lib/') ? join(OCLIF, name) : resolve(name);
}

/** @type {readonly [pattern: RegExp, replacement: string | ((match: string, group: string) => string)][]} */
const REPLACED = [
  [STDOUT_HANDLER, (_, handler) => onFirstUse(handler)],
  [/\(await import\('wsl-utils'\)\)\.isWsl/, `require(${JSON.stringify(IS_WSL)}).default`],
];

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
