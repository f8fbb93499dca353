import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allOf } from '../../src/cli/standard-streams.js';
import { SvcError } from '../../src/engine/errors/index.js';
import { failureOf } from '../support/failure.js';

const test = suite('stdin');

test('is read to its end', async () => {
  const stdin = new PassThrough();
  stdin.write('{"goal":');
  stdin.end('"Build"}');
  assert.is(String(await allOf(stdin, new AbortController().signal)), '{"goal":"Build"}');
});

test('can be interrupted if it never ends', async () => {
  const stdin = new PassThrough();
  stdin.write('{');
  const interruption = new AbortController();
  const reading = allOf(stdin, interruption.signal);
  interruption.abort(new SvcError('INTERRUPTED', 'stopped'));
  assert.is((await failureOf(reading)).code, 'INTERRUPTED');
});

test.run();
