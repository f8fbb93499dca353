#!/usr/bin/env node
import { existsSync } from 'node:fs';

// Node.js 22.1 and newer keep compiled code between runs; older ones have no such function.
const { enableCompileCache } = await import('node:module');
enableCompileCache?.();

const program = new URL('../dist/main.js', import.meta.url);
if (!existsSync(program)) {
  process.stderr.write('error: svc is not built\n mend: run "npm run build" in its folder\n');
  process.exit(1);
}
const { main } = await import(program.href);
await main(import.meta.url, { dir: 'dist/commands', extension: '.js' });
