import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './ensure-installed.js';

/**
 * Runs a TypeScript file of the project with this process's arguments and ends as it ends.
 * @param {string} file relative to the package folder
 */
export function runSource(file) {
  ensureInstalled();
  const run = spawnSync(process.execPath, ['--import', 'tsx', file, ...process.argv.slice(2)], {
    stdio: 'inherit',
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  process.exitCode = run.status ?? 1;
}
