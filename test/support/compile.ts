/**
 * Compiles files for Node.js, each with what it imports: loading a test through tsx takes a second of processor time,
 * mostly for finding and translating the files of src/.
 */
import { symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { ROOT } from './run-svc.js';
import { tempFolder } from './temp-folder.js';

/**
 * @param entries source files by the path that the compiled one gets in the folder, without `.mjs`
 * @returns the folder
 */
export async function compile(entries: Readonly<Record<string, string>>): Promise<string> {
  const folder = tempFolder();
  symlinkSync(join(ROOT, 'node_modules'), folder.at('node_modules'));
  await build({
    entryPoints: entries,
    outdir: folder.path,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    keepNames: true,
    packages: 'external',
    sourcemap: true,
    sourcesContent: false,
    define: { 'import.meta.url': '__url', 'import.meta.dirname': '__dirname' },
    plugins: [ownPlace, withoutExtensions],
    logLevel: 'silent',
  });
  return folder.path;
}

/** Compiles a program that a test starts several times. @returns the path of the compiled file */
export async function compileProgram(file: URL): Promise<string> {
  return join(await compile({ program: fileURLToPath(file) }), 'program.mjs');
}

/** Starts the process in the file next to it. Tests use that of the build: loading the source takes a second each time. */
const STARTS_BUILT = join(ROOT, 'src/engine/memory/extract/index.ts');

/** Files are found next to the source, not next to what it is compiled to. */
const ownPlace: Plugin = {
  name: 'own-place',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.[jt]sx?$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const place = path === STARTS_BUILT ? join(ROOT, 'dist/chunks/index.js') : path;
      const url = JSON.stringify(pathToFileURL(place).href);
      const constants = `const __url = ${url}, __dirname = ${JSON.stringify(dirname(place))};`;
      return { contents: constants + text, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** The files of jsonc-parser import each other without extensions, which Node.js does not allow. */
const withoutExtensions: Plugin = {
  name: 'without-extensions',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^jsonc-parser\// }, ({ path }) => ({
      path: createRequire(import.meta.url).resolve(path),
    }));
  },
};
