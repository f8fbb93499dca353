import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  downloadLines,
  parseAnswer,
  sendOnce,
} from '../../../../src/engine/providers/http/http-client.js';
import { createPacer, PATIENT } from '../../../../src/engine/providers/requests/pacer.js';
import { VendorFault } from '../../../../src/engine/providers/vendor-fault.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { errorOf } from '../../../support/failure.js';
import { waitFor } from '../../../support/wait.js';

const test = suite('http client');

/** What a request to a server returns or throws. */
async function outcomeFrom(
  answer: RequestListener,
  headers: Readonly<Record<string, string>> = {},
  login = '',
): Promise<unknown> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const outcome = await sendOnce({
    method: 'POST',
    url: `http://${login}127.0.0.1:${address.port}/v1/embeddings`,
    json: {},
    headers,
    signal: NEVER,
    timeoutMs: 60_000,
  }).catch((thrown: unknown) => thrown);
  server.closeAllConnections();
  server.close();
  return outcome;
}

async function faultFrom(...asked: Parameters<typeof outcomeFrom>): Promise<VendorFault> {
  const error = await outcomeFrom(...asked);
  assert.ok(error instanceof VendorFault);
  return error;
}

function bodyOf(answer: unknown): string {
  return String(Reflect.get(Object(answer), 'body'));
}

test('a key that an answer repeats is masked, whatever its status', async () => {
  const authorization = 'Bearer sk-repeated-0123456789';
  for (const status of [200, 400]) {
    const outcome = await outcomeFrom(
      ({ headers }, response) => {
        response.writeHead(status).end(JSON.stringify({ error: `no ${headers.authorization}` }));
      },
      { authorization },
    );
    const text = outcome instanceof VendorFault ? outcome.message : bodyOf(outcome);
    assert.match(text, '********');
    assert.not.match(text, 'repeated');
  }
});

test('a user in the address is sent, unless a header has a key', async () => {
  const repeat: RequestListener = ({ headers }, response) =>
    void response.end((headers.authorization ?? '').split(' ')[0]);
  const login = 'user:p@';
  assert.is(bodyOf(await outcomeFrom(repeat, {}, login)), 'Basic');
  assert.is(bodyOf(await outcomeFrom(repeat, { Authorization: 'Bearer key' }, login)), 'Bearer');
});

test('a redirect names the scheme and host of the new address, but not its path', async () => {
  const redirectTo = async (location: string) => {
    const fault = await faultFrom((_request, response) => {
      response.writeHead(308, { location }).end();
    });
    return fault.message.replace(/.*redirects to /, '');
  };
  assert.is(await redirectTo('https://127.0.0.1/key-in-path'), 'https://127.0.0.1');
  assert.is(await redirectTo('/elsewhere'), 'another address');
});

test('a download that is redirected closes its connection', async () => {
  let isClosed = false;
  const server = createServer((_request, response) => {
    response.on('close', () => {
      isClosed = true;
    });
    response.writeHead(302, { location: '/elsewhere' }).write('the rest of this never comes');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const lines = downloadLines({
    url: `http://127.0.0.1:${port}/`,
    signal: NEVER,
    timeoutMs: 600_000,
    pacing: createPacer().pacing(PATIENT),
  });
  const fault = await errorOf(VendorFault, lines.next());
  assert.match(fault.message, 'redirects to another address');
  await waitFor('the end of the connection', () => isClosed);
  server.close();
});

test('an answer without an end is given up as too large', async () => {
  const chunk = Buffer.alloc(4 * 1024 * 1024, ' ');
  const fault = await faultFrom((_request, response) => {
    Readable.from(
      (function* () {
        for (;;) yield chunk;
      })(),
    ).pipe(response);
  });
  assert.is(fault.message, 'the answer is broken: it is too large');
});

test('a small answer that becomes too large when decompressed is given up', async () => {
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '));
  const fault = await faultFrom((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  assert.is(fault.message, 'the answer is broken: it is too large');
});

test('a byte-order mark in front of an answer or an error is ignored', async () => {
  const body = Buffer.from('\uFEFF{"error":{"message":"wrong key"}}');
  assert.equal(parseAnswer({ status: 200, headers: {}, body }), {
    error: { message: 'wrong key' },
  });
  const fault = await faultFrom((_request, response) => response.writeHead(401).end(body));
  assert.is(fault.message, 'wrong key');
});

test('only the beginning of an error is read', async () => {
  const started = performance.now();
  const long = await faultFrom((_request, response) => {
    response.writeHead(500);
    Readable.from(
      (function* () {
        for (;;) yield '<p>busy</p> ';
      })(),
    ).pipe(response);
  });
  assert.is(long.details.status, 500);
  assert.match(long.message, /^busy busy/u);
  assert.ok(performance.now() - started < 10_000);
});

test('an answer that is not compressed as it claims is broken', async () => {
  for (const encoding of ['gzip', 'br']) {
    const fault = await faultFrom((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('not compressed');
    });
    assert.is(fault.details.kind, 'answer');
    assert.is(fault.message, 'the answer is broken: its compression is damaged');
  }
});

test('a key or a header with a line break is named and not sent', async () => {
  const never: RequestListener = (_request, response) => response.end();
  const key = await faultFrom(never, { authorization: 'Bearer abc\n' });
  assert.is(key.details.kind, 'auth');
  assert.match(key.message, /^the key contains a line break/u);
  const header = await faultFrom(never, { 'x-team': 'a\nb' });
  assert.is(header.details.kind, 'setup');
  assert.match(header.message, /^the header "x-team" contains a line break/u);
});

test('an answer of another protocol is named, with a hint', async () => {
  const fault = await faultFrom((_request, response) => response.socket?.end('SSH-2.0-x\r\n'));
  assert.is(fault.message, 'the answer is not valid HTTP');
  assert.is(fault.details.hint, 'check the port of the address');
});

test('an error that is nested without end is shown as text', async () => {
  const body = `${'{"error":'.repeat(200_000)}"x"${'}'.repeat(200_000)}`;
  const fault = await faultFrom((_request, response) => response.writeHead(400).end(body));
  assert.is(fault.details.kind, 'request');
  assert.match(fault.message, /^\{"error":\{"error":/u);
});

test('a failure that an answer reports is one, whatever its own status', async () => {
  const faultWith = (body: unknown, headers: Record<string, string> = {}) =>
    faultFrom((_request, response) => response.writeHead(200, headers).end(JSON.stringify(body)));
  // OpenRouter, on its own and for a provider.
  const raw = '{"error":{"message":"The input is too long.","code":"invalid"}}';
  const metadata = { provider_name: 'Azure', raw };
  const error = { message: 'Provider returned error', code: 429, metadata };
  const limited = await faultWith({ error, user_id: 'u' }, { 'retry-after': '2' });
  assert.is(limited.message, 'The input is too long.');
  assert.equal([limited.details.kind, limited.details.waitMs], ['rate', 2000]);
  const choices = [{ finish_reason: 'error', message: {}, error: { message: 'busy', code: 502 } }];
  assert.equal((await faultWith({ id: 'gen-1', choices })).details.kind, 'overload');
  for (const body of [{ error: null }, { error: { code: 7, message: 'of an operation' } }]) {
    const outcome = await outcomeFrom((_request, response) => response.end(JSON.stringify(body)));
    assert.is(bodyOf(outcome), JSON.stringify(body));
  }
});

test('too little money for requests at the same time is waited for, none is not', async () => {
  const kindWith = async (headers: Record<string, string>) => {
    const fault = await faultFrom((_request, response) => response.writeHead(402, headers).end());
    return fault.details.kind;
  };
  assert.is(await kindWith({ 'retry-after': '3' }), 'rate');
  assert.is(await kindWith({}), 'quota');
});

test('of a page, what people would read is shown', async () => {
  const page =
    '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><style>*{margin:0}@media (width <= 720px){.main{margin:0}}</style></head><body><script nonce="x">if (a < b) c();</script><p>Enable JavaScript and cookies to continue</p><script>(function(){window._cf';
  const fault = await faultFrom((_request, response) => response.writeHead(403).end(page));
  assert.is(fault.message, 'Just a moment... Enable JavaScript and cookies to continue');
});

test('a time to wait counts only if it is in the future', async () => {
  const waitAfter = async (text: string, more: Record<string, string> = {}) => {
    const fault = await faultFrom((_request, response) => {
      response.writeHead(429, { 'retry-after': text, ...more }).end();
    });
    return fault.details.waitMs;
  };
  assert.is(await waitAfter('1.5'), 1500);
  const tomorrow = new Date(Date.now() + 86_400_000);
  assert.ok(((await waitAfter(tomorrow.toUTCString())) ?? 0) > 86_000_000);
  for (const text of ['0', '-5', 'Wed, 21 Oct 2015 07:28:00 GMT', 'soon', '']) {
    assert.is(await waitAfter(text), undefined, text);
  }
  // Milliseconds are more exact.
  assert.is(await waitAfter('2', { 'retry-after-ms': '1250' }), 1250);
  for (const text of ['0', '-5', 'soon', '']) {
    assert.is(await waitAfter('2', { 'retry-after-ms': text }), 2000, text);
  }
});

test.run();
