import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { httpSettings } from '../../../../src/engine/mcp/http/http-settings.js';
import { contextOf } from '../../../support/context.js';
import { failureOf } from '../../../support/failure.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('where svc mcp --http listens');

async function settingsOf(http: object, flags: { host?: string; port?: number } = {}) {
  const home = tempFolder();
  home.write('svc.json', JSON.stringify({ mcp: { http } }));
  const context = contextOf(home.path);
  const loaded = await loadConfig(context, {});
  return httpSettings(loaded, { host: flags.host, port: flags.port }, context);
}

const TLS = { cert: '/cert.pem', key: '/key.pem' };

test('without settings it is open to this machine only', async () => {
  const { address, publicOrigin } = await settingsOf({});
  assert.equal([address.host, address.port, publicOrigin], ['127.0.0.1', 8788, undefined]);
});

test('flags override the configuration', async () => {
  const { address } = await settingsOf({ host: '::1', port: 9 }, { host: 'localhost', port: 0 });
  assert.equal([address.host, address.port], ['localhost', 0]);
});

test('other machines need TLS or a proxy, and an address to use', async () => {
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ host: '0.0.0.0' }, /unencrypted/],
    [{ host: '192.0.2.1' }, /unencrypted/],
    [{ publicUrl: 'https://memory.example' }, /unencrypted/],
    [{ host: '0.0.0.0', tls: TLS }, /address that clients use/],
    [{ host: '::', tls: TLS }, /address that clients use/],
    [{ host: 'fe80::1%eth0', tls: TLS }, /address that clients use/],
    [{ host: '192.0.2.1', trustedProxies: ['192.0.2.2'] }, /address that clients use/],
  ];
  for (const [http, why] of refused) {
    const failure = await failureOf(settingsOf(http));
    assert.is(failure.code, 'MCP_HTTP_INSECURE', JSON.stringify(http));
    assert.match(failure.message, why);
    assert.ok(failure.hint);
  }
});

test('clients are told the public URL, or the address and port of the certificate', async () => {
  const proxied = {
    host: '0.0.0.0',
    trustedProxies: ['10.0.0.0/8'],
    publicUrl: 'https://memory.example/',
  };
  assert.is((await settingsOf(proxied)).publicOrigin, 'https://memory.example');
  const named = await settingsOf({ host: 'memory.example', port: 8443, tls: TLS });
  assert.is(named.publicOrigin, 'https://memory.example:8443');
  const six = await settingsOf({ host: '2001:db8::1', port: 443, tls: TLS });
  assert.is(six.publicOrigin, 'https://[2001:db8::1]');
});

test.run();
