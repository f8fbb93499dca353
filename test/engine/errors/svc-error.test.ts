import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asSvcError, messageOf, systemReason } from '../../../src/engine/errors/index.js';
import { errorOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';

test('what the system refuses is worded without codes and names of system calls', async () => {
  const folder = tempFolder();
  writeFileSync(folder.at('file.md'), 'text');
  symlinkSync('loop', folder.at('loop'));
  mkdirSync(folder.at('full/inner'), { recursive: true });
  const refused: readonly (readonly [string, () => unknown, string])[] = [
    ['none.md', () => readFileSync(folder.at('none.md')), 'no such file or folder'],
    ['file.md/x', () => readFileSync(folder.at('file.md/x')), 'part of its path is not a folder'],
    ['loop', () => readFileSync(folder.at('loop')), 'a symbolic link leads back to itself'],
    ['full', () => rmdirSync(folder.at('full')), 'the folder is not empty'],
    ['file.md', () => readdirSync(folder.at('file.md')), 'part of its path is not a folder'],
    ['file.md', () => mkdirSync(folder.at('file.md')), 'a file is in the place of a folder'],
  ];
  for (const [path, act, reason] of refused) {
    const error = await errorOf(Error, act);
    assert.is(systemReason(error), reason, path);
    assert.is(messageOf(error), `${folder.at(path)}: ${reason}`);
  }
  const isFolder = await errorOf(Error, () => readFileSync(folder.path));
  assert.is(systemReason(isFolder), 'it is a folder');
});

test('a refusal that has no words here keeps the words of the system', () => {
  const error = Object.assign(new Error("EIO: i/o error, read '/notes/a.md'"), {
    code: 'EIO',
    path: '/notes/a.md',
  });
  assert.is(systemReason(error), 'i/o error');
  assert.is(messageOf(error), '/notes/a.md: i/o error');
});

test('on a full disk, also for the index of a log of SQLite, the hint is to free space', () => {
  for (const code of ['ENOSPC', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']) {
    const error = Object.assign(new Error('disk I/O error'), { code });
    assert.is(asSvcError(error)?.hint, 'free some space and try again', code);
  }
});

test('other errors keep their message', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
    code: 'ECONNREFUSED',
  });
  for (const error of [refused, new Error('EXIT: 3'), new Error('two\nlines')]) {
    assert.is(messageOf(error), error.message);
    assert.is(systemReason(error), error.message);
  }
  assert.is(messageOf('words'), 'words');
});

test('a part of svc that is missing, such as after an upgrade, is no bug', async () => {
  const load = createRequire(import.meta.url);
  const error = asSvcError(await errorOf(Error, () => load('./gone.js')));
  assert.is(error?.code, 'PROGRAM_CHANGED');
  assert.is(error?.message, "a part of svc cannot be loaded: Cannot find module './gone.js'");
  assert.match(error?.hint ?? '', /restart it/);
});

test.run();
