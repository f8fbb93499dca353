/**
 * Writes the files generated from the code: oclif's manifest and the reference pages.
 *
 *   node scripts/generate-docs.js           writes outdated files
 *   node scripts/generate-docs.js --check   lists outdated files and exits with 1
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';
import { buildProgram, isBuildStale } from './build.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @returns {Promise<readonly {path: string, text: string}[]>} every generated file, up to date */
async function generate() {
  if (isBuildStale()) await buildProgram();
  const unregister = register();
  try {
    const { generatedFiles } = await import('./docs/generated-files.ts');
    return await generatedFiles(root.replace(/[\\/]$/, ''));
  } finally {
    await unregister();
  }
}

/**
 * @param {{path: string, text: string}} file
 * @returns {boolean} whether the file on disk differs or is missing
 */
function isStale({ path, text }) {
  return !existsSync(`${root}${path}`) || readFileSync(`${root}${path}`, 'utf8') !== text;
}

const stale = (await generate()).filter(isStale);
if (process.argv.includes('--check')) {
  for (const { path } of stale)
    console.error(`${path} is out of date: run "npm run docs" and commit it`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const { path, text } of stale) {
    writeFileSync(`${root}${path}`, text);
    console.log(`wrote ${path}`);
  }
}
