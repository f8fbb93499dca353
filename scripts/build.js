import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { HELP_FILES, IS_WSL, lazyOclif, OCLIF_PART, OCLIF_PARTS } from './lazy-oclif.js';
import { leanLibraries } from './lean-libraries.js';
import { leanMcp } from './lean-mcp.js';
import { thirdPartyLicenses } from './third-party-licenses.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');
const dist = join(root, 'dist');

/** Child processes. */
const PROCESSES = ['cli/home/overview-process.ts', 'engine/memory/extract/extract-process.ts'];

/**
 * The chunks, by their entries below src/: a command would load dozens of files otherwise. In this order, because modules
 * stay in the first chunk that has them.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const CHUNKS = {
  // What every start needs. The last ones are loaded only if there is a svc.json, which is
  // nearly always, and if it says where an index is or has several agents.
  start: [
    'cli/main.ts',
    'cli/base-command.ts',
    'engine/config/verdict.ts',
    'engine/config/store-faults.ts',
  ],
  // What the commands of the memory share, and the most used of them.
  memory: ['commands/memory/search.ts'],
  // The command that agents run before every turn.
  hook: ['commands/memory/recall.ts'],
  // What an external program shares with many commands; running it loads more of Node.
  helpers: ['engine/child/program.ts', 'engine/sqlite/process-lock.ts', 'engine/support/glob.ts'],
  child: ['engine/child/run-program.ts'],
  ext: ['engine/memory/backends/ext/open-ext.ts'],
  // Indexing loads it even without a provider.
  vectors: ['engine/memory/index/sqlite/vectors/index.ts'],
  // With a provider or without.
  secrets: ['engine/secrets/index.ts'],
  // Describing providers, without calling one.
  providers: ['engine/embeddings/list-providers.ts', 'engine/memory/embedding-status.ts'],
  // Calling a provider, including HTTP.
  asking: ['engine/embeddings/open-provider.ts'],
  http: ['engine/providers/openai-shaped.ts', 'engine/providers/file-batch.ts'],
  // With ink and React.
  screen: ['ui/terminal/mount-screen.tsx'],
  // What the commands about dreaming share with others: searches that are recorded, tables, transcripts, schedules.
  recall: ['engine/dreaming/recall-log/recalled-claims.ts'],
  table: ['ui/table.ts', 'engine/sqlite/format.ts'],
  transcript: ['engine/memory/sources/transcripts/read-conversation.ts'],
  cron: ['engine/support/cron-times.ts'],
  dream: ['cli/dream/dream-command.ts'],
  // What the version needs, which is less than help.
  platform: [IS_WSL],
  // What help needs of oclif.
  help: ['cli/run-with-oclif.ts', ...HELP_FILES],
  // A search of a shared memory, with pg.
  shared: ['engine/memory/home/shared-home.ts'],
};

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

/** Changes with everything that determines whether a configuration is valid; see config/verdict.ts. */
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
  // Native modules stay where npm built them; the rest are optional parts of libraries that are never used.
  external: [/\.node$/, 'react-devtools-core', 'typescript', 'tsx', 'ts-node'],
  transform: {
    target: 'node20.19',
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.DEV': '"false"',
      SVC_CONFIG_RULES: JSON.stringify(rulesHash()),
      // package.json states the required Node version; the AWS SDK must not warn about it on every run.
      'process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED': '"true"',
    },
  },
  // No module has side effects, so importing from an index.ts loads only what is used. Ink uses one function of es-toolkit.
  treeshake: {
    moduleSideEffects: (id) => !id.startsWith(source) && !/[\\/]es-toolkit[\\/]/.test(id),
  },
  logLevel: 'warn',
};

/**
 * Shortens the names of variables inside libraries, an eighth of the package. Names of functions and classes stay.
 * @type {import('rolldown').Plugin}
 */
const shorterLibraries = {
  name: 'shorter-libraries',
  transform: {
    order: 'post',
    filter: { id: /[\\/]node_modules[\\/].+\.[cm]?js$/ },
    handler(code, id) {
      const { code: shorter, errors } = minifySync(id, code, {
        compress: false,
        mangle: { toplevel: false, keepNames: true },
      });
      if (errors.length > 0) throw new Error(`${id}: ${errors[0]?.message}`);
      return shorter;
    },
  },
};

/**
 * CommonJS has a `require` of its own; making others takes a millisecond of every start.
 * @type {import('rolldown').Plugin}
 */
const ownRequire = {
  name: 'own-require',
  transform: {
    filter: { id: /[\\/]src[\\/].+\.ts$/, code: /createRequire\(import\.meta\.url\)/ },
    handler: (code) => code.replace('createRequire(import.meta.url)', 'require'),
  },
};

/**
 * Only the code of better-sqlite3 12 is bundled, which makes it start sooner. 13 is loaded from its package where it is
 * installed, and npm removes an optional dependency that it cannot build.
 * @type {import('rolldown').Plugin}
 */
const withoutSqlitePackage = {
  name: 'without-sqlite-package',
  resolveId: (id) =>
    id === 'better-sqlite3' && !installedVersion(id)?.startsWith('12.') ? NOTHING : undefined,
  load: (id) => (id === NOTHING ? 'export default undefined' : undefined),
};
const NOTHING = '\0nothing';

/** @param {string} name @returns {string | undefined} */
function installedVersion(name) {
  const file = join(root, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

/** The chunks whose compiled code bin/run.js caches: it knows them by the start of their file names. */
const CACHED_CHUNKS = [
  'memory',
  'start',
  'hook',
  'screen',
  'vectors',
  'languages',
  'asking',
  'http',
  'table',
  'dream',
  'help',
  'shared',
  'create-server',
  'internal',
];
/** The chunks that oclif is in. */
const OCLIF_CHUNKS = ['start', 'help'];
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Escapes what is not ASCII: V8 keeps a text in two bytes per character if one character needs them, which costs two
 * milliseconds of a start to read, copy and look up.
 * @type {import('rolldown').Plugin}
 */
const asciiChunks = {
  name: 'ascii-chunks',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || !CACHED_CHUNKS.includes(chunk.name)) continue;
      chunk.code = chunk.code.replace(
        new RegExp(NOT_ASCII, 'g'),
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

/**
 * Exports what never changes as values: defining hundreds of getters takes a millisecond of a search. What libraries set
 * when they are first used keeps its getter.
 * @type {import('rolldown').Plugin}
 */
const plainExports = {
  name: 'plain-exports',
  generateBundle(_, bundle) {
    let replaced = 0;
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || !CACHED_CHUNKS.includes(chunk.name)) continue;
      const isFixed = new Set(this.parse(chunk.code).body.flatMap(fixedNames));
      chunk.code = chunk.code.replace(GETTER, (getter, name, value) => {
        if (!isFixed.has(value)) return getter;
        replaced += 1;
        return `exports.${name}=${value}`;
      });
    }
    if (replaced === 0) throw new Error('the bundler writes exports in another way');
  },
};
const GETTER =
  /Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;

/** @param {ReturnType<typeof import('rolldown/parseAst').parseAst>['body'][number]} statement */
function fixedNames(statement) {
  if (statement.type === 'FunctionDeclaration') return [statement.id.name];
  if (statement.type !== 'VariableDeclaration' || statement.kind !== 'const') return [];
  return statement.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
}

/** @type {import('rolldown').OutputOptions} */
const COMMON_OUTPUT = {
  // The names that stack traces of bug reports have stay; those of variables become short: an eighth less to read.
  minify: {
    compress: true,
    mangle: { toplevel: false, keepNames: true },
    codegen: { removeWhitespace: true },
  },
  comments: { legal: true, annotation: false },
};

/**
 * Bundles the program into dist/: one entry per command and shared chunks, so that a command loads only what
 * it uses. Built next to dist/ and swapped in, so that a running program never sees half a build.
 */
export async function buildProgram() {
  const staging = join(root, `dist.tmp-${process.pid}`);
  try {
    const bundled = await buildCommands(staging);
    writeFileSync(join(staging, 'third-party-licenses.txt'), thirdPartyLicenses(bundled));
    writeFileSync(join(staging, 'package.json'), '{ "type": "commonjs" }\n');
    rmSync(dist, { recursive: true, force: true });
    renameSync(staging, dist);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * The commands and the engine as CommonJS, which Node loads synchronously: an eighth of the startup time
 * faster than ES modules.
 * @param {string} dir
 * @returns what was bundled: absolute paths of modules
 */
async function buildCommands(dir) {
  const commands = filesBelow(join(source, 'commands')).filter((file) => file.endsWith('.ts'));
  const entries = [...PROCESSES.map((file) => join(source, file)), ...commands];
  const parts = Object.entries(CHUNKS).map(([name, files]) => modulesOf(name, files));
  const { output } = await build({
    ...COMMON,
    input: {
      main: join(source, 'cli/main.ts'),
      ...Object.fromEntries(
        entries.map((file) => [relative(source, file).replace(/\.ts$/, ''), file]),
      ),
      'chunks/oclif-parts': OCLIF_PARTS,
    },
    plugins: [
      lazyOclif(),
      leanLibraries(),
      leanMcp(),
      ownRequire,
      withoutSqlitePackage,
      shorterLibraries,
      asciiChunks,
      plainExports,
      ...parts.map(({ plugin }) => plugin),
    ],
    output: {
      ...COMMON_OUTPUT,
      dir,
      format: 'cjs',
      exports: 'named',
      entryFileNames: '[name].js',
      chunkFileNames: ({ name }) =>
        `chunks/${CACHED_CHUNKS.includes(name) ? 'kept-' : ''}[name]-[hash].js`,
      codeSplitting: { groups: parts.map(({ group }) => group) },
      intro: ({ name }) => (OCLIF_CHUNKS.includes(name) ? OCLIF_PART : ''),
    },
  });
  for (const name of CACHED_CHUNKS) checkCachedChunk(output, name);
  const lost = output.find(
    (file) =>
      !OCLIF_CHUNKS.includes(file.name) &&
      'code' in file &&
      /\$(?:oclifPart|requireAsOclif)\(/.test(file.code),
  );
  if (lost !== undefined) {
    throw new Error(`oclif is in ${lost.fileName}, which cannot load its parts`);
  }
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/**
 * bin/run.js runs these from cached code on Node.js 20, where V8 cannot import ES modules, and reads them as Latin-1.
 * @param {import('rolldown').RolldownOutput['output']} output
 * @param {string} name
 */
function checkCachedChunk(output, name) {
  const chunks = output.flatMap((file) => (file.name === name && 'code' in file ? [file] : []));
  if (chunks.length === 0) throw new Error(`there is no ${name} chunk`);
  if (chunks.some(({ code }) => /(?<![\w.$])import\(/.test(code))) {
    throw new Error(`the ${name} chunk imports an ES module: import it from a file of its own`);
  }
  if (chunks.some(({ code }) => NOT_ASCII.test(code))) {
    throw new Error(`the ${name} chunk is not ASCII`);
  }
}

/**
 * Puts everything that some entries import statically, directly or not, into one chunk, except modules in
 * an earlier group.
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
        const pending = entries.map((file) => resolve(source, file));
        for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
          const info = this.getModuleInfo(id);
          if (info === null || modules.has(id)) continue;
          modules.add(id);
          pending.push(...info.importedIds.flatMap((imported) => behindDoor(imported, id)));
        }
      },
    },
  };
}

/**
 * Resolves an import from an index.ts to the files that the imported names come from.
 * @param {string} imported absolute path
 * @param {string} importer the same
 * @returns {string[]}
 */
function behindDoor(imported, importer) {
  if (!DOOR.test(imported)) return [imported];
  const files = new Map();
  const door = readFileSync(imported, 'utf8');
  for (const [, names = '', path = ''] of door.matchAll(EXPORTS)) {
    for (const { outer } of namesIn(names)) files.set(outer, fileOf(imported, path));
  }
  for (const [, path = ''] of door.matchAll(WHOLE_EXPORTS)) {
    const file = fileOf(imported, path);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(DECLARATIONS)) files.set(name, file);
  }
  const importedNames = [...readFileSync(importer, 'utf8').matchAll(IMPORTS)]
    .filter(([, , file = '']) => fileOf(importer, file) === imported)
    .flatMap(([, names = '']) => namesIn(names).map(({ inner }) => inner));
  return [...new Set(importedNames.map((name) => files.get(name)))].filter(
    (file) => file !== undefined,
  );
}

const DOOR = /[\\/]engine[\\/](?:[\w-]+[\\/])+index\.ts$/;
const EXPORTS = /^export \{([^}]*)\} from '([^']+)';$/gm;
const WHOLE_EXPORTS = /^export \* from '([^']+)';$/gm;
const DECLARATIONS = /^export (?:async )?(?:class|const|function\*?) (\w+)/gm;
const IMPORTS = /^(?:import|export) \{([^}]*)\} from '([^']+)';$/gm;

/**
 * The names in the braces of an import or export, without types.
 * @param {string} list
 */
function namesIn(list) {
  const names = list.split(',').map((name) => name.trim());
  return names
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => {
      const [inner = name, outer = inner] = name.split(' as ');
      return { inner, outer };
    });
}

/**
 * @param {string} from absolute path of the file that has the specifier
 * @param {string} specifier
 */
function fileOf(from, specifier) {
  return join(dirname(from), specifier).replace(/\.js$/, '.ts');
}

/** @returns {boolean} whether a source file is newer than the built program */
export function isBuildStale() {
  const built = statSync(join(dist, 'main.js'), { throwIfNoEntry: false });
  if (built === undefined) return true;
  const scripts = readdirSync(join(root, 'scripts')).filter((name) => name.endsWith('.js'));
  const inputs = [
    ...filesBelow(source),
    join(root, 'package.json'),
    ...scripts.map((name) => join(root, 'scripts', name)),
  ];
  return inputs.some((file) => statSync(file).mtimeMs > built.mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildProgram();
