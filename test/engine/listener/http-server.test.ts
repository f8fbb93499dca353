import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createHttpServer,
  type UnroutedRequest,
} from '../../../src/engine/listener/http-server.js';
import { createCertificate } from '../../support/certificate.js';
import { testLog } from '../../support/services.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('the HTTP server');

const tls = createCertificate(tempFolder(), 'localhost');

/** A server with TLS, and a connection to it without. */
async function connected() {
  const faults: UnroutedRequest[] = [];
  const server = createHttpServer({
    address: { host: '127.0.0.1', port: 0, tls, trustedProxies: [] },
    log: testLog().logger,
    node: { headersTimeout: 200 },
    onFault: (request) => faults.push(request),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').resume();
  return {
    server,
    socket,
    reported: () => faults.map(({ status, code, reason }) => [status, code, reason]),
  };
}

test('a connection on which TLS never begins is closed as soon as one without headers', async () => {
  const startedMs = performance.now();
  const { server, socket, reported } = await connected();
  await once(socket, 'close');
  assert.ok(performance.now() - startedMs < 60_000, 'it was not closed in time');
  assert.equal(reported(), [[408, 'request_timeout', 'the request took too long to arrive']]);
  await server.close();
});

test('a request without TLS is reported as such', async () => {
  const { server, socket, reported } = await connected();
  socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'close');
  assert.equal(reported(), [[400, 'tls_failed', 'TLS failed: http request']]);
  await server.close();
});

test('clients with TLS may offer HTTP/1.0 only, or a protocol that the server does not have', async () => {
  const { server, socket } = await connected();
  const { port } = server.server.address() as AddressInfo;
  for (const offered of [['http/1.0'], ['h2', 'http/1.1'], ['http/1.0', 'http/1.1']]) {
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: offered };
    const client = connectTls(options).setEncoding('utf8');
    client.write('GET / HTTP/1.0\r\n\r\n');
    let answer = '';
    for await (const text of client) answer += text;
    assert.match(answer, /^HTTP\/1\.1 404 /u);
    assert.is(client.alpnProtocol, offered.includes('http/1.1') ? 'http/1.1' : 'http/1.0');
  }
  socket.destroy();
  await server.close();
});

test('a request with TLS to a server without it is reported as such', async () => {
  const faults: UnroutedRequest[] = [];
  const address = { host: '127.0.0.1', port: 0, tls: undefined, trustedProxies: [] };
  const onFault = (request: UnroutedRequest): void => void faults.push(request);
  const server = createHttpServer({ address, log: testLog().logger, onFault });
  await server.listen(address);
  const { port } = server.server.address() as AddressInfo;
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'error');
  assert.equal(
    faults.map(({ code, reason }) => [code, reason]),
    [['tls_failed', 'the request is TLS (https://), but the listener has no certificate']],
  );
  await server.close();
});

test('a request whose headers do not arrive in time is answered with 408', async () => {
  const address = { host: '127.0.0.1', port: 0, tls: undefined, trustedProxies: [] };
  const node = { headersTimeout: 200, connectionsCheckingInterval: 50 };
  const server = createHttpServer({ address, log: testLog().logger, node });
  await server.listen(address);
  const { port } = server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
  let answer = '';
  for await (const text of socket) answer += text;
  assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/u);
  assert.match(answer, '"code":"request_timeout"');
  await server.close();
});

test('a request with the whole address is one with its path and query', async () => {
  const address = { host: '127.0.0.1', port: 0, tls: undefined, trustedProxies: [] };
  const server = createHttpServer({ address, log: testLog().logger });
  server.get('*', ({ raw }) => ({ url: raw.url }));
  await server.listen(address);
  const { port } = server.server.address() as AddressInfo;
  for (const [target, url] of [
    ['http://host/a?b=/c', '/a?b=/c'],
    ['HTTPS://host:8787', '/'],
    ['http://[::1]:1?x', '/?x'],
    ['/http://host/a', '/http://host/a'],
  ]) {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.end(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    let answer = '';
    for await (const text of socket) answer += text;
    assert.ok(answer.endsWith(JSON.stringify({ url })), answer);
  }
  await server.close();
});

test('a route that fails is answered with 500, and logged', async () => {
  const address = { host: '127.0.0.1', port: 0, tls: undefined, trustedProxies: [] };
  const { logger, lines } = testLog();
  const server = createHttpServer({ address, log: logger });
  server.get('*', () => Promise.reject(new Error('out of order')));
  const { statusCode, body } = await server.inject({ url: '/', headers: { host: 'a' } });
  assert.equal([statusCode, JSON.parse(body).error.code], [500, 'internal_error']);
  assert.match(lines.join(''), 'out of order');
  await server.close();
});

test('a request has one host; only HTTP/1.0 can do without', async () => {
  const address = { host: '127.0.0.1', port: 0, tls: undefined, trustedProxies: [] };
  const server = createHttpServer({ address, log: testLog().logger });
  server.get('*', () => 'found');
  await server.listen(address);
  const { port } = server.server.address() as AddressInfo;
  for (const [version, hosts, status] of [
    ['1.0', '', 200],
    ['1.0', 'Host: a\r\n', 200],
    ['1.0', 'Host: a\r\nHost: b\r\n', 400],
    ['1.1', '', 400],
    ['1.1', 'Host: a\r\nHost: b\r\n', 400],
  ] as const) {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.end(`GET / HTTP/${version}\r\n${hosts}Connection: close\r\n\r\n`);
    let answer = '';
    for await (const text of socket) answer += text;
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `, 'u'), `${version} ${hosts}`);
  }
  await server.close();
});

test.run();
