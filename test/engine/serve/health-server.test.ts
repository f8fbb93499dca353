import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import type { Readiness } from '../../../src/engine/serve/readiness.js';
import { createHealthServer } from '../../../src/engine/serve/services/health-server.js';
import { healthAddress } from '../../../src/engine/serve/services/health-service.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { createCertificate } from '../../support/certificate.js';
import { testLog } from '../../support/services.js';
import { tempFolder } from '../../support/temp-folder.js';
import { rawConnection } from '../../support/webhooks.js';

const PLAIN = { host: '127.0.0.1', port: 0, tls: undefined, trustedProxies: [] } as const;

async function listening(readiness: () => Readiness) {
  const { logger, lines } = testLog();
  const server = createHealthServer({ address: PLAIN, log: logger, readiness });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url, lines, close: () => server.close() };
}

test('/readyz reflects the services, /healthz only that the process answers', async () => {
  let readiness: Readiness = {
    status: 'starting',
    waiting: [{ service: 'memory:main', state: 'starting' }],
  };
  const { url, close } = await listening(() => readiness);
  const early = await fetch(`${url}/readyz`);
  assert.is(early.status, 503);
  assert.equal(await early.json(), readiness);
  assert.equal(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' });
  readiness = { status: 'ready', waiting: [] };
  assert.is((await fetch(`${url}/readyz`)).status, 200);
  readiness = { status: 'draining', waiting: [] };
  assert.is((await fetch(`${url}/readyz`)).status, 503);
  await close();
});

test('every request has an ID in its response and log line; a valid one from outside is kept', async () => {
  const { url, lines, close } = await listening(() => ({ status: 'ready', waiting: [] }));
  const headers = { 'x-request-id': 'proxy-1' };
  const answer = await fetch(`${url}/healthz?key=hush`, { headers });
  assert.is(answer.headers.get('x-request-id'), 'proxy-1');
  for (const forged of ['a b', 'x'.repeat(200), '"}{']) {
    const own = await fetch(`${url}/healthz`, { headers: { 'x-request-id': forged } });
    assert.match(own.headers.get('x-request-id') ?? '', /^[\da-f-]{36}$/);
  }
  await close();
  const line = lines.find((text) => text.includes('proxy-1')) ?? '{}';
  const { requestId, method, url: path, status } = JSON.parse(line);
  assert.equal([requestId, method, path, status], ['proxy-1', 'GET', '/healthz', 200]);
  assert.not.match(lines.join(''), 'hush');
});

test('other paths are not found, and a large body is refused', async () => {
  const { url, close } = await listening(() => ({ status: 'ready', waiting: [] }));
  const nothing = await fetch(`${url}/admin`);
  assert.is(nothing.status, 404);
  assert.equal(await nothing.json(), {
    error: { code: 'not_found', message: 'there is nothing here' },
  });
  const post = await fetch(`${url}/healthz`, { method: 'POST', body: 'x'.repeat(10_000) });
  assert.is(post.status, 413);
  assert.equal(await post.json(), {
    error: { code: 'payload_too_large', message: 'the body is too large' },
  });
  await close();
});

test('requests that Node.js itself refuses have an ID and the same form', async () => {
  const { url, close } = await listening(() => ({ status: 'ready', waiting: [] }));
  for (const [head, status, code] of [
    ['', 400, 'bad_request'],
    ['Host: a\r\nExpect: a miracle\r\n', 417, 'expectation_failed'],
  ] as const) {
    const { write, closed } = rawConnection(Number(new URL(url).port));
    write(`GET /healthz HTTP/1.1\r\n${head}\r\n`);
    const [answer = '', body = ''] = (await closed).split('\r\n\r\n');
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
    assert.match(answer, /^x-request-id: \S+$/imu);
    assert.is(JSON.parse(body).error.code, code);
  }
  await close();
});

test('a keep-alive connection does not delay closing', async () => {
  const { url, close } = await listening(() => ({ status: 'ready', waiting: [] }));
  await fetch(`${url}/healthz`, { keepalive: true });
  await close();
});

function setupOf(gateway: object, file?: string) {
  const context = {
    env: {},
    cwd: '/cwd',
    homeDir: '/home/ada',
    state: resolveStatePaths({}, '/home/ada'),
    clock: { now: () => 0 },
    onSecret: () => undefined,
  };
  return {
    context,
    mask: createSecretMask(),
    loaded: { file, input: {}, resolved: resolveConfig({ gateway }), warnings: [] },
  };
}

test('it listens on the gateway or gateway.admin; relative paths start at the configuration', () => {
  const tls = { cert: 'c.pem', key: '~/k.pem' };
  assert.equal(healthAddress(setupOf({})), { ...PLAIN, port: 8787 });
  assert.equal(healthAddress(setupOf({ tls }, '/etc/svc/svc.json')).tls, {
    cert: '/etc/svc/c.pem',
    key: '/home/ada/k.pem',
  });
  assert.equal(healthAddress(setupOf({ host: '::1', tls, admin: { port: 9 } })), {
    ...PLAIN,
    host: '::1',
    port: 9,
  });
});

test('with gateway.tls it speaks HTTPS', async () => {
  const { logger } = testLog();
  const tls = createCertificate(tempFolder(), 'localhost');
  const server = createHealthServer({
    address: { ...PLAIN, tls },
    log: logger,
    readiness: () => ({ status: 'ready', waiting: [] }),
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  assert.match(url, /^https:/);
  const status = await new Promise((resolve, reject) => {
    const ca = readFileSync(tls.cert);
    request(`${url}/readyz`, { ca, servername: 'localhost', checkServerIdentity: () => undefined })
      .on('response', (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
  assert.is(status, 200);
  await server.close();
});

test.run();
