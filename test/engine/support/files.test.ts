import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { messageOf } from '../../../src/engine/errors/index.js';
import { readGuarded, writeGuarded } from '../../../src/engine/memory-files/guarded-file.js';
import { makeFolders, readPart, readRegularFile } from '../../../src/engine/support/files.js';
import { replaceFile, WRITING_MS } from '../../../src/engine/support/replace-file.js';
import { compileProgram } from '../../support/compile.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('replacing files');

test('the next write removes leftovers of a killed one, but no current or foreign files', () => {
  const folder = tempFolder();
  const stray = folder.write('.0123456789ab.svc.tmp', 'text of a note');
  const old = (Date.now() - 2 * WRITING_MS) / 1000;
  const others = ['.notes.svc.tmp', '.ba9876543210.svc.tmp', 'a.md'];
  for (const name of others) folder.write(name, 'x');
  utimesSync(stray, old, old);
  utimesSync(folder.at('.notes.svc.tmp'), old, old);
  writeGuarded(readGuarded(folder.path, 'MEMORY.md'), '# Memory\n');
  assert.equal(readdirSync(folder.path).toSorted(), [...others, 'MEMORY.md'].toSorted());
});

test('a missing workspace is not reported as a link', () => {
  const folder = tempFolder();
  assert.throws(() => readGuarded(folder.at('gone'), 'memory/a.md'), /gone no longer exists/u);
});

test('a file has its modification time from the moment it exists', () => {
  const folder = tempFolder();
  for (const modified of [new Date(-43_200_000), new Date('2026-02-03T04:05:06.789Z')]) {
    replaceFile(folder.at('a.md'), 'x', 0o600, modified);
    assert.equal(statSync(folder.at('a.md')).mtime, modified);
  }
});

test('creates folders private to their owner, and accepts existing ones', () => {
  const folder = tempFolder();
  for (const path of ['a/b/c', 'a/b/c', 'a']) makeFolders(folder.at(path));
  for (const path of ['a', 'a/b', 'a/b/c']) {
    assert.is(statSync(folder.at(path)).mode & 0o777, 0o700, path);
  }
});

test('reads only regular files, and does not wait for a pipe', () => {
  const folder = tempFolder();
  execFileSync('mkfifo', [folder.at('pipe')]);
  folder.write('file', '12345');
  assert.is(String(readRegularFile(folder.at('file'), 5)), '12345');
  assert.throws(() => readRegularFile(folder.at('file'), 4), /EFBIG/);
  assert.throws(() => readRegularFile(folder.at('pipe')), /EFTYPE/);
  assert.throws(() => readPart(folder.at('pipe'), 0, 1), /ESPIPE/);
  assert.throws(() => readRegularFile(folder.path), /EISDIR/);
  assert.throws(() => readRegularFile(folder.at('missing')), /ENOENT/);
});

test('processes that create the same folders at the same time do not fail each other', async () => {
  const program = await compileProgram(new URL('folders-child.ts', import.meta.url));
  const args = [program, tempFolder().path, String(Date.now() + 500)];
  const run = () => promisify(execFile)(process.execPath, args);
  for (const { stdout } of await Promise.all([run(), run()])) assert.is(stdout, '');
});

test('fails where no folder can be created', () => {
  const folder = tempFolder();
  folder.write('file', '');
  assert.throws(() => makeFolders(folder.at('file')), 'EEXIST');
  assert.throws(() => makeFolders(folder.at('file/a/b')), 'ENOTDIR');
  // Here, the `recursive` of Node's mkdir never returns.
  if (process.platform === 'linux') assert.throws(() => makeFolders('/proc/svc/a'), 'ENOENT');
});

test('a file that cannot be replaced is named, and not the temporary one', () => {
  const folder = tempFolder();
  folder.write('a.md/b.md', '');
  const replace = (name: string): string => {
    try {
      replaceFile(folder.at(name), 'text', 0o600);
      return '';
    } catch (error) {
      return messageOf(error);
    }
  };
  assert.is(replace('a.md'), `${folder.at('a.md')}: it is a folder`);
  assert.is(replace('none/a.md'), `${folder.at('none/a.md')}: no such file or folder`);
});

test.run();
