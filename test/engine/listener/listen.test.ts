import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkAddresses } from '../../../src/engine/listener/listen.js';

test('an address that this machine lacks is named with its port, also where the port is held', async () => {
  const wanted = { host: '192.0.2.1', port: 18_797, tls: undefined, trustedProxies: [] };
  const held = { host: '127.0.0.1', port: 18_797, tls: undefined, trustedProxies: [] };
  for (const holding of [[], [held]]) {
    const message = await checkAddresses([wanted], holding).then(
      () => 'usable',
      (error: unknown) => (error instanceof Error ? error.message : 'another'),
    );
    assert.is(message, 'cannot listen on 192.0.2.1:18797: this machine does not have that address');
  }
});

test.run();
