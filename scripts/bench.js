import { ensureInstalled } from './ensure-installed.js';
import { runSource } from './run-source.js';

ensureInstalled();
const { buildProgram, isBuildStale } = await import('./build.js');
if (isBuildStale()) await buildProgram();
runSource('bench/main.ts');
