import { ensureInstalled, showProgress } from './ensure-installed.js';

// For bin/run.js in a checkout that was never built, such as one installed with `npm install -g .`, where
// npm only links the folder.
await ensureInstalled();
const { buildProgram, isBuildStale } = await import('./build.js');
if (isBuildStale()) {
  const ended = showProgress('building svc');
  await buildProgram();
  ended();
}
