import { generateKeyPairSync } from 'node:crypto';
import dns from 'node:dns';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { createHttpServer } from '../../../src/engine/listener/http-server.js';
import { checkAddresses, clientAddressOf, listenOn } from '../../../src/engine/listener/listen.js';
import { failureOf } from '../../support/failure.js';
import { folderOf } from '../../support/temp-folder.js';

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
  // A link-local address that names no interface.
  for (const host of ['2001:db8::1', 'fe80::1']) {
    const { code, message } = await failureOf(checkAddresses([{ ...wanted, host }], []));
    assert.is(code, 'LISTEN_FAILED');
    assert.match(message, `cannot listen on [${host}]:18797: `);
  }
});

test('a port of another program is in use, one of this process becomes free', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const wanted = { host: '127.0.0.1', port, tls: undefined, trustedProxies: [] };
  const { message } = await failureOf(checkAddresses([wanted], []));
  assert.is(message, `cannot listen on 127.0.0.1:${port}: the port is in use`);
  await checkAddresses([wanted], [{ ...wanted, host: 'localhost' }]);
  other.close();
});

test('localhost is one address, where it has two as well', async () => {
  const { lookup } = dns;
  const both = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  dns.lookup = Object.assign((...[host, options, done = options]: readonly unknown[]) => {
    const addresses = host === 'localhost' ? both : both.filter(({ address }) => address === host);
    const [one] = addresses;
    const found = Object(options).all === true ? [addresses] : [one?.address, one?.family];
    Reflect.apply(Object(done), undefined, [null, ...found]);
  }, lookup);
  const address = { host: 'localhost', port: 0, tls: undefined, trustedProxies: [] };
  const server = createHttpServer({ address, log: pino({ level: 'silent' }) });
  try {
    assert.match(await listenOn(server, address), /^http:\/\/127\.0\.0\.1:/u);
    assert.is(server.addresses().length, 1);
  } finally {
    dns.lookup = lookup;
    await server.close();
  }
});

test('the address of a client has no port and no prefix of IPv6', () => {
  const addressOf = (ip: string | undefined, remoteAddress: string | undefined) =>
    clientAddressOf({ ip, socket: { remoteAddress } });
  for (const [ip, remote, shown] of [
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['nonsense', '::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '::1', '2001:db8::1'],
    ['::ffff:1', '::1', '::ffff:1'],
    ['192.0.2.1:50000', '127.0.0.1', '192.0.2.1'],
    ['[2001:db8::1]:50000', '127.0.0.1', '2001:db8::1'],
    ['[2001:db8::1]', '127.0.0.1', '2001:db8::1'],
    ['192.0.2.1:50000:', '127.0.0.1', '127.0.0.1'],
    [undefined, undefined, ''],
  ] as const) {
    assert.is(addressOf(ip, remote), shown);
  }
  const ips = ['127.0.0.1', '192.0.2.7:443', 'nonsense'];
  assert.is(
    clientAddressOf({ ip: 'nonsense', ips, socket: { remoteAddress: '127.0.0.1' } }),
    '192.0.2.7',
    'the proxy that passed on what is no address',
  );
});

test('a certificate that cannot be used is named with its key, at start and on a reload', async () => {
  const home = folderOf({ 'c.pem': 'no certificate', 'k.pem': 'no key' });
  for (const key of [home.at('k.pem'), home.at('missing.pem')]) {
    const tls = { cert: home.at('c.pem'), key };
    const address = { host: '127.0.0.1', port: 0, tls, trustedProxies: [] };
    const start = async () => createHttpServer({ address, log: pino({ level: 'silent' }) });
    for (const using of [start(), checkAddresses([address], [])]) {
      const error = await using.catch((thrown: unknown) => thrown);
      assert.instance(error, SvcError);
      assert.is(Object(error).code, 'LISTEN_FAILED');
      assert.match(Object(error).message, `cannot use certificate ${tls.cert} with key ${key}: `);
      assert.match(Object(error).hint, 'gateway.tls');
    }
  }
});

test('an encrypted key is named as such, in either format', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cipher = { cipher: 'aes-128-cbc', passphrase: 'abcd', format: 'pem' } as const;
  const home = folderOf({
    'c.pem': 'a certificate',
    'pkcs8.pem': privateKey.export({ ...cipher, type: 'pkcs8' }),
    'sec1.pem': privateKey.export({ ...cipher, type: 'sec1' }),
  });
  for (const name of ['pkcs8.pem', 'sec1.pem']) {
    const tls = { cert: home.at('c.pem'), key: home.at(name) };
    const address = { host: '127.0.0.1', port: 0, tls, trustedProxies: [] };
    const error = await checkAddresses([address], []).catch((thrown: unknown) => thrown);
    assert.match(Object(error).message, /: the key is encrypted; .*openssl pkey/);
  }
});

test.run();
