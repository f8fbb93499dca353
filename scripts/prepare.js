import { existsSync } from 'node:fs';

// npm runs this after an install in the checkout and before packing. Without build tools (an install
// without development dependencies) the program must already be built.
const tools = new URL('../node_modules/rolldown', import.meta.url);
if (process.env['SVC_SKIP_PREPARE'] === undefined && existsSync(tools)) {
  const { buildProgram, isBuildStale } = await import('./build.js');
  if (isBuildStale()) await buildProgram();
}
