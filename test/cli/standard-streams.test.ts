import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allOf, readerOf } from '../../src/cli/standard-streams.js';
import { SvcError } from '../../src/engine/errors/index.js';
import { failureOf } from '../support/failure.js';
import { tempFolder } from '../support/temp-folder.js';

const test = suite('stdin');

test('is read to its end', async () => {
  const stdin = new PassThrough();
  stdin.write('{"goal":');
  stdin.end('"Build"}');
  assert.is(String(await allOf(stdin, new AbortController().signal, 100)), '{"goal":"Build"}');
});

test('can be interrupted if it never ends', async () => {
  const stdin = new PassThrough();
  stdin.write('{');
  const interruption = new AbortController();
  const reading = allOf(stdin, interruption.signal, 100);
  interruption.abort(new SvcError('INTERRUPTED', 'stopped'));
  assert.is((await failureOf(reading)).code, 'INTERRUPTED');
});

test('what flags name may be a pipe, and has a limit', async () => {
  const folder = tempFolder();
  const place = { cwd: '/', homeDir: folder.path };
  const read = await readerOf(['@a file'], 5, new AbortController().signal, place);
  folder.write('file', '123456');
  execFileSync('mkfifo', [folder.at('pipe')]);
  const writer = spawn('sh', ['-c', 'printf 12345 >"$0"', folder.at('pipe')]);
  assert.is(String(read('~/pipe')), '12345');
  assert.throws(() => read(folder.at('file')), /EFBIG/);
  assert.throws(() => read('/dev/zero'), /EFBIG/);
  await once(writer, 'close');
});

test.run();
