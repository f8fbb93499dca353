import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import './build-checkout.js';

// npm runs this in the package folder; the person stands in INIT_CWD.
const run = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('../bin/run.js', import.meta.url)), ...process.argv.slice(2)],
  { stdio: 'inherit', cwd: process.env['INIT_CWD'] ?? process.cwd() },
);
process.exitCode = run.status ?? 1;
