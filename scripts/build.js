import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { lazyOclif, REQUIRE_FROM_OCLIF } from './lazy-oclif.js';
import { leanGot } from './lean-got.js';
import { leanMcp } from './lean-mcp.js';
import { thirdPartyLicenses } from './third-party-licenses.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');
const dist = join(root, 'dist');

/**
 * What every start needs, and the command that people wait for most: kept in one file. The last two are
 * imported when there is a svc.json, and nearly everybody has one.
 */
const HOT_ENTRIES = [
  'cli/main.ts',
  'commands/memory/search.ts',
  'engine/config/verdict.ts',
  'engine/config/written-secrets.ts',
];

/** Programs that the program starts. */
const PROCESSES = ['cli/home/look-process.ts'];

/** The command that agents run before every turn: what it needs besides is in one file as well. */
const HOOK_ENTRIES = ['commands/memory/recall.ts'];

/** What vectors in the index need; indexing loads it where there is no provider too. */
const VECTOR_ENTRIES = ['engine/memory/index/vectors/vector-store.ts'];

/** What reading secrets needs, with a provider or without. */
const SECRET_ENTRIES = ['engine/secrets/index.ts'];

/** What telling of providers needs, without asking one. */
const LISTING_ENTRIES = [
  'engine/embeddings/list-providers.ts',
  'engine/memory/embedding/embedding-status.ts',
];

/** What asking one needs besides these, and what asking it over HTTP does: a dozen files otherwise. */
const ASKING_ENTRIES = ['engine/embeddings/open-provider.ts'];
const HTTP_ENTRIES = ['engine/embeddings/adapters/openai-shaped-vendor.ts'];

/** What a question to an external search program needs. */
const EXT_ENTRIES = ['engine/memory/backends/ext/open-ext.ts'];

/**
 * Files below a folder, recursively.
 * @param {string} dir
 * @returns {string[]} absolute paths
 */
function filesBelow(dir) {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Changes with everything that decides whether a configuration is valid; see config/verdict.ts. */
function rulesHash() {
  const print = createHash('sha256');
  const zod = join(root, 'node_modules', 'zod', 'package.json');
  for (const file of [...filesBelow(join(source, 'engine', 'config')).sort(), zod]) {
    print.update(readFileSync(file));
  }
  return print.digest('base64url');
}

/** @type {import('rolldown').InputOptions} */
const COMMON = {
  cwd: root,
  platform: 'node',
  // Native modules stay where npm built them; the rest are optional parts of libraries that this
  // program never reaches.
  external: [
    /\.node$/,
    /^@oclif\/core\/(?:config|run|settings)$/,
    'react-devtools-core',
    'typescript',
    'tsx',
    'ts-node',
  ],
  transform: {
    target: 'node20.19',
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.DEV': '"false"',
      SVC_CONFIG_RULES: JSON.stringify(rulesHash()),
      // Which Node the program needs is said by package.json, not by the AWS SDK on every run.
      'process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED': '"true"',
    },
  },
  logLevel: 'warn',
};

/** @type {import('rolldown').OutputOptions} */
const COMMON_OUTPUT = {
  // Names stay readable in the stack trace of a bug report.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  comments: { legal: true },
};

/**
 * Bundles the program into dist/: one entry a command, what they share in chunks, so that a command
 * loads only what it uses. Built beside dist/ and swapped in, so that a program that is running
 * meanwhile never sees half a build.
 */
export async function buildProgram() {
  const staging = join(root, `dist.tmp-${process.pid}`);
  try {
    const bundled = [
      ...(await buildCommands(staging)),
      ...(await buildScreens(join(staging, 'screens'))),
    ];
    writeFileSync(join(staging, 'third-party-licenses.txt'), thirdPartyLicenses(bundled));
    const scope = { type: 'commonjs', imports: { '#screens/*': './screens/*.mjs' } };
    writeFileSync(join(staging, 'package.json'), `${JSON.stringify(scope, null, 2)}\n`);
    rmSync(dist, { recursive: true, force: true });
    renameSync(staging, dist);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * The commands and the engine, as CommonJS: Node loads that synchronously, an eighth of a whole
 * start sooner than the same code as ES modules.
 * @param {string} dir
 */
async function buildCommands(dir) {
  const commands = filesBelow(join(source, 'commands')).filter((file) => file.endsWith('.ts'));
  const entries = [join(source, 'cli/main.ts'), ...PROCESSES.map(below), ...commands];
  // In this order: what an earlier one has stays there.
  const parts = [
    modulesOf('start', HOT_ENTRIES),
    modulesOf('hook', HOOK_ENTRIES),
    modulesOf('ext', EXT_ENTRIES),
    modulesOf('vectors', VECTOR_ENTRIES),
    modulesOf('secrets', SECRET_ENTRIES),
    modulesOf('providers', LISTING_ENTRIES),
    modulesOf('asking', ASKING_ENTRIES),
    modulesOf('http', HTTP_ENTRIES),
  ];
  const { output } = await build({
    ...COMMON,
    input: Object.fromEntries(entries.map((file) => [entryName(file), file])),
    plugins: [
      ...[lazyOclif(), leanGot(), leanMcp(), screensApart],
      ...parts.map(({ plugin }) => plugin),
    ],
    output: {
      ...COMMON_OUTPUT,
      dir,
      format: 'cjs',
      exports: 'named',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: { groups: parts.map(({ group }) => group) },
      intro: REQUIRE_FROM_OCLIF,
    },
  });
  return bundledModules(output);
}

/** @param {string} file below src/, by its path there */
function below(file) {
  return join(source, file);
}

/** @param {string} file below src/ */
function entryName(file) {
  if (file === join(source, 'cli/main.ts')) return 'main';
  return relative(source, file).replace(/\.ts$/, '');
}

const SCREEN = /[\\/]ui[\\/]screens[\\/](\w+)[\\/]run\.js$/;

/**
 * Leaves the screens out of the program's own bundle: ink's layout engine needs top-level await,
 * which only ES modules have. They are reached through `imports` of dist/package.json.
 * @type {import('rolldown').Plugin}
 */
const screensApart = {
  name: 'screens-apart',
  resolveId(path) {
    const screen = SCREEN.exec(path)?.[1];
    return screen === undefined ? null : { id: `#screens/${screen}`, external: true };
  },
};

/**
 * Puts the modules that some entries import, directly or not, into one chunk; dynamic imports left out.
 * What an earlier group has stays there.
 * @param {string} name
 * @param {readonly string[]} entries below src/
 * @returns {{plugin: import('rolldown').Plugin, group: {name: string, test: (id: string) => boolean}}}
 */
function modulesOf(name, entries) {
  /** @type {Set<string>} */
  const modules = new Set();
  return {
    group: { name, test: (id) => modules.has(id) },
    plugin: {
      name: `modules-of-${name}`,
      buildEnd() {
        const pending = entries.map((file) => join(source, file));
        for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
          const info = this.getModuleInfo(id);
          if (info === null || modules.has(id)) continue;
          modules.add(id);
          pending.push(...info.importedIds);
        }
      },
    },
  };
}

/**
 * Leaves out ink's bridge to React's devtools, which only a developer of screens would switch on.
 * @type {import('rolldown').Plugin}
 */
const withoutDevtools = {
  name: 'without-devtools',
  load(id) {
    return /[\\/]ink[\\/]build[\\/]devtools\.js$/.test(id) ? 'export {};' : null;
  },
};

/** @param {string} dir */
async function buildScreens(dir) {
  const screens = filesBelow(join(source, 'ui/screens')).filter((file) => /run\.tsx?$/.test(file));
  const { output } = await build({
    ...COMMON,
    input: Object.fromEntries(screens.map((file) => [basename(dirname(file)), file])),
    plugins: [withoutDevtools],
    output: {
      ...COMMON_OUTPUT,
      dir,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    },
  });
  return bundledModules(output);
}

/** @param {import('rolldown').RolldownOutput['output']} output */
function bundledModules(output) {
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** @returns {boolean} whether a source file is newer than the built program */
export function isBuildStale() {
  const built = statSync(join(dist, 'main.js'), { throwIfNoEntry: false });
  if (built === undefined) return true;
  const inputs = [
    ...filesBelow(source),
    join(root, 'package.json'),
    join(root, 'scripts/build.js'),
    join(root, 'scripts/lazy-oclif.js'),
    join(root, 'scripts/lean-got.js'),
    join(root, 'scripts/lean-mcp.js'),
  ];
  return inputs.some((file) => statSync(file).mtimeMs > built.mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildProgram();
