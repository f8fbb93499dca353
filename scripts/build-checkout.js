import { ensureBuilt, ensureInstalled, withInstallLock } from './ensure-installed.js';

// For bin/run.js in a checkout that was never built, such as one installed with `npm install -g .`, where
// npm only links the folder.
await withInstallLock(async () => {
  await ensureInstalled();
  await ensureBuilt();
});
