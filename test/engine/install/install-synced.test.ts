import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fakeNpm } from '../../fakes/fake-npm.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('what is installed and a power failure');

const { renameSync } = fs;
const { open } = fs.promises;
/** What happened, in order: files that were synced to disk, and what was renamed. */
const events: string[] = [];

fs.promises.open = async (path, ...more) => {
  const handle = await open(path, ...more);
  const sync = handle.sync.bind(handle);
  handle.sync = async () => {
    await sync();
    events.push(String(path));
  };
  return handle;
};
fs.renameSync = (from, to) => {
  renameSync(from, to);
  events.push(`renamed to ${basename(String(to))}`);
};
syncBuiltinESMExports();
// Only what is loaded from here on uses them.
const { installRuntime } = await import('../../../src/engine/providers/local/runtime/install.js');

test('every file is on disk before the folder counts as complete', async () => {
  const npm = fakeNpm();
  const { runtime } = await installRuntime({
    dir: tempFolder().at('runtimes'),
    platform: { os: 'linux', arch: 'x64', glibc: true },
    gpu: false,
    force: false,
    env: { PATH: process.env['PATH'], ...npm.env },
    nodePath: process.execPath,
    signal: new AbortController().signal,
    onEvent: () => undefined,
  });
  const counted = events.indexOf('renamed to local.json');
  const files = fs
    .readdirSync(runtime.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  assert.ok(files.length > 1);
  for (const file of files) {
    const at = events.indexOf(file);
    assert.ok(at !== -1 && at < counted, file);
  }
});

test.after(() => {
  fs.renameSync = renameSync;
  fs.promises.open = open;
  syncBuiltinESMExports();
});
test.run();
