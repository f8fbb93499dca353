/**
 * Compiles test files and what they import, all at once: loading a test through tsx takes a second of
 * processor time, mostly for finding and translating the files of src/.
 */
import { symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { tempFolder } from './support/temp-folder.js';

/**
 * @param files paths below the current folder
 * @returns the folder with the compiled files, each as its path with `.mjs` after it
 */
export async function compileTests(files: readonly string[]): Promise<string> {
  const { path } = tempFolder();
  symlinkSync(resolve('node_modules'), join(path, 'node_modules'));
  await build({
    entryPoints: files.map((file) => ({ in: file, out: file })),
    outdir: path,
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
    logLevel: 'error',
  });
  return path;
}

/** Files are found next to the source, not next to what it is compiled to. */
const ownPlace: Plugin = {
  name: 'own-place',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.[jt]sx?$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const url = JSON.stringify(pathToFileURL(path).href);
      const constants = `const __url = ${url}, __dirname = ${JSON.stringify(dirname(path))};`;
      return { contents: constants + text, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** Its files import each other without extensions, which Node.js does not allow. */
const withoutExtensions: Plugin = {
  name: 'without-extensions',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^jsonc-parser\// }, ({ path }) => ({
      path: createRequire(import.meta.url).resolve(path),
    }));
  },
};
