import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import './build-checkout.js';

// npm runs this in the package folder; INIT_CWD is the user's working directory.
const run = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('../bin/run.js', import.meta.url)), ...process.argv.slice(2)],
  { stdio: 'inherit', cwd: process.env['INIT_CWD'] ?? process.cwd() },
);
process.exitCode = run.status ?? 1;
