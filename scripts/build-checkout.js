import { ensureInstalled } from './ensure-installed.js';

// For bin/run.js in a checkout that nobody has built yet, such as one installed with
// `npm install -g .`: npm links the folder then, and installs and builds nothing in it.
ensureInstalled();
const { buildProgram, isBuildStale } = await import('./build.js');
if (isBuildStale()) await buildProgram();
