import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readHookInput } from '../../src/cli/hook-input.js';

const test = suite('the input of a hook');

test('it is read to its end, or as far as it was written if an agent does not close it', async () => {
  const closed = new PassThrough();
  closed.end('{"a":1}');
  assert.is(await readHookInput(closed)(60_000), '{"a":1}');
  const open = new PassThrough();
  open.write('{"a":');
  open.write('2}');
  assert.is(await readHookInput(open)(20), '{"a":2}');
  assert.ok(open.destroyed, 'it must not keep the process alive');
});

test('one that is too large is ignored, and so is one that breaks off', async () => {
  const large = new PassThrough();
  large.end('x'.repeat(4 * 1024 * 1024 + 1));
  assert.is(await readHookInput(large)(60_000), undefined);
  const broken = new PassThrough();
  broken.destroy(new Error('gone'));
  assert.is(await readHookInput(broken)(60_000), '');
});

test.run();
