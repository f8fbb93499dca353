import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../../src/engine/config/index.js';
import { sharedPlace } from '../../../../src/engine/memory/home/index.js';

const test = suite('the origin of a shared memory');

function originOf(hostName: string | undefined, origin?: string): string | undefined {
  const storage = { url: 'env:SVC_DATABASE_URL', ...(origin === undefined ? {} : { origin }) };
  return sharedPlace('main', { resolved: resolveConfig({ storage }) }, { hostName })?.origin;
}

test('a memory is shared only with storage.url', () => {
  assert.is(sharedPlace('main', { resolved: resolveConfig({}) }, { hostName: 'a' }), undefined);
});

test('the origin is the configured one, or the host name in a valid form', () => {
  assert.is(originOf('box', 'office'), 'office');
  assert.is(originOf('box-1.example.com'), 'box-1.example.com');
  assert.is(originOf('Ada’s MacBook'), 'Ada-s-MacBook');
  assert.is(originOf('_box'), 'box');
  assert.is(originOf('x'.repeat(100)), 'x'.repeat(63));
  assert.is(originOf('😀'), 'host');
  assert.is(originOf(undefined), 'host');
});

test.run();
