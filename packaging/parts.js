import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @type {{ name: string, version: string, description: string, license: string, engines: { node: string } }} */
export const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/**
 * Runs a program and ends this one if it fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} [cwd]
 * @returns {string} what it printed
 */
export function run(command, args, cwd = ROOT) {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // The tarball has what was built; there is nothing to prepare.
    env: { ...process.env, SVC_SKIP_PREPARE: '1' },
  });
  if (status === 0) return stdout;
  console.error(`error: ${command} ${args.join(' ')} failed ${error?.message ?? ''}`);
  process.exit(1);
}

/** A new folder below the one for temporary files. */
export function newFolder() {
  return mkdtempSync(join(tmpdir(), 'svc-package-'));
}

/**
 * Builds the tarball that npm would publish.
 *
 * @param {string} folder
 * @returns {string} its path
 */
export function packInto(folder) {
  run(process.execPath, ['scripts/build.js']);
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  return join(folder, run('npm', args).trim());
}
