/**
 * Builds a standalone executable of svc for this machine, which needs no Node.js:
 *
 *   npm run sea [-- FOLDER]
 *
 * The running Node.js becomes the executable, with sea-main.cjs in it; `lib/` next to it has the program and its native
 * parts. Both are needed. See https://nodejs.org/api/single-executable-applications.html.
 */
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installInto, MANIFEST, newFolder, ROOT, run } from './parts.js';

/** Marks in Node.js's executable where it reads whether a script is in it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const { platform, arch, execPath } = process;
const isMac = platform === 'darwin';
const name = `${MANIFEST.name}-${MANIFEST.version}-${platform}-${arch}`;
const folder = join(resolve(process.argv[2] ?? join(ROOT, 'dist-sea')), name);
const executable = join(folder, platform === 'win32' ? 'svc.exe' : 'svc');
const node = readFileSync(execPath);
if (!node.includes(FUSE)) {
  console.error(
    `error: cannot add a script to ${execPath}\nhint: use Node.js from https://nodejs.org; packages of distributions often keep it in a shared library`,
  );
  process.exit(1);
}

rmSync(folder, { recursive: true, force: true });
const work = newFolder();
installInto(join(folder, 'lib'), work);
// Installed by now, also in a fresh clone.
const { inject } = await import('postject');
const { smokeTest } = await import('./sea-smoke.js');

const blob = join(work, 'main.blob');
const settings = join(work, 'sea.json');
writeFileSync(
  settings,
  JSON.stringify({
    main: join(ROOT, 'packaging/sea-main.cjs'),
    output: blob,
    disableExperimentalSEAWarning: true,
  }),
);
run(execPath, ['--experimental-sea-config', settings]);
copyFileSync(execPath, executable);
chmodSync(executable, 0o755);
if (isMac) run('codesign', ['--remove-signature', executable]);
await inject(executable, 'NODE_SEA_BLOB', readFileSync(blob), {
  sentinelFuse: FUSE,
  machoSegmentName: 'NODE_SEA',
});
if (isMac) run('codesign', ['--sign', '-', executable]);

await smokeTest(executable, work);
rmSync(work, { recursive: true });
console.log(folder);
