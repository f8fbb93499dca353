import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { lazyOclif, REQUIRE_FROM_OCLIF } from './lazy-oclif.js';

const root = fileURLToPath(new URL('..', import.meta.url));

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

/**
 * Bundles the program into dist/: one entry a command, what they share in chunks, so that a command
 * loads only what it uses. Built beside dist/ and swapped in, so that a program that is running
 * meanwhile never sees half a build.
 */
export async function buildProgram() {
  const staging = join(root, `dist.tmp-${process.pid}`);
  const commands = filesBelow(join(root, 'src/commands')).filter((file) => file.endsWith('.ts'));
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [
        { in: join(root, 'src/cli/main.ts'), out: 'main' },
        ...commands.map((file) => ({
          in: file,
          out: file.slice(join(root, 'src/').length).replace(/\.ts$/, ''),
        })),
      ],
      outdir: staging,
      chunkNames: 'chunks/[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      // Names stay readable in the stack trace of a bug report.
      minifyWhitespace: true,
      minifySyntax: true,
      legalComments: 'linked',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
      // Native modules stay where npm built them; the rest are optional parts of libraries that
      // this program never reaches.
      external: ['*.node', 'react-devtools-core', 'typescript', 'tsx', 'ts-node'],
      plugins: [lazyOclif()],
      // Bundled CommonJS still calls require and reads __dirname, which ES modules lack.
      banner: {
        js: [
          "import{createRequire as $createRequire}from'node:module';",
          "import{fileURLToPath as $toPath}from'node:url';",
          'const require=$createRequire(import.meta.url),',
          "__filename=$toPath(import.meta.url),__dirname=$toPath(new URL('.',import.meta.url));",
          REQUIRE_FROM_OCLIF,
        ].join(''),
      },
    });
    mkdirSync(join(root, 'dist'), { recursive: true });
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    renameSync(staging, join(root, 'dist'));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** @returns {boolean} whether a source file is newer than the built program */
export function isBuildStale() {
  const built = statSync(join(root, 'dist/main.js'), { throwIfNoEntry: false });
  if (built === undefined) return true;
  const sources = [
    ...filesBelow(join(root, 'src')),
    join(root, 'package.json'),
    join(root, 'scripts/build.js'),
    join(root, 'scripts/lazy-oclif.js'),
  ];
  return sources.some((file) => statSync(file).mtimeMs > built.mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildProgram();
