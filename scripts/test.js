import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import './build-checkout.js';

const run = spawnSync(
  process.execPath,
  ['--import', 'tsx', 'test/run.ts', ...process.argv.slice(2)],
  { stdio: 'inherit', cwd: fileURLToPath(new URL('..', import.meta.url)) },
);
process.exitCode = run.status ?? 1;
