import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './ensure-installed.js';

ensureInstalled();
const { buildProgram, isBuildStale } = await import('./build.js');
if (isBuildStale()) await buildProgram();

const run = spawnSync(
  process.execPath,
  ['--import', 'tsx', 'test/run.ts', ...process.argv.slice(2)],
  { stdio: 'inherit', cwd: fileURLToPath(new URL('..', import.meta.url)) },
);
process.exitCode = run.status ?? 1;
