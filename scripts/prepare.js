import { existsSync } from 'node:fs';

// npm runs this after an install in the checkout and before packing. Without build tools (an install without
// development dependencies) or the source (the unpacked package), the program must already be built.
const needed = ['../node_modules/rolldown', '../src'];
const canBuild = needed.every((path) => existsSync(new URL(path, import.meta.url)));
if (process.env['SVC_SKIP_PREPARE'] === undefined && canBuild) {
  const { buildProgram, isBuildStale } = await import('./build.js');
  if (isBuildStale()) await buildProgram();
}
