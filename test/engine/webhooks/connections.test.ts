import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import { rejection } from '../../../src/engine/webhooks/answers.js';
import { routeFinder } from '../../../src/engine/webhooks/routes.js';
import { WebhookListener } from '../../../src/engine/webhooks/webhook-listener.js';
import { testLog } from '../../support/services.js';
import { waitFor } from '../../support/wait.js';
import {
  headOf,
  PATH,
  rawConnection,
  routeOf,
  SECRET,
  SESSION,
  send,
  type TestWebhooks,
  testWebhooks,
} from '../../support/webhooks.js';

const test = suite('connections of all kinds');

const LIST = '{"action":"list_flows"}';

/** As the metrics have it. */
async function inFlight({ metrics }: TestWebhooks['webhooks']): Promise<number> {
  const line = /^svc_webhook_requests_under_way (\d+)$/mu.exec(await metrics.text());
  return Number(line?.[1]);
}

function statusesOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/gu), ([, status]) => status ?? '');
}

test('a body that does not arrive in time gets an answer, and its connection is closed', async () => {
  const { port, url, close } = await testWebhooks({
    limits: { bodyTimeoutSeconds: 1, inFlight: 1 },
  });
  const slow = rawConnection(port);
  slow.write(`${headOf(['Content-Length: 100'])}{"action"`);
  const text = await slow.closed;
  assert.equal(statusesOf(text), ['408']);
  assert.match(text, /"code":"request_timeout"/);
  // Its place is free again.
  assert.is((await send(url)).status, 200);
  await close();
});

test('a refused request whose body never comes gets one answer', async () => {
  const { port, url, close } = await testWebhooks({
    limits: { bodyTimeoutSeconds: 1 },
    patience: { headersMs: 200, checkEveryMs: 50, spareMs: 100 },
  });
  const wrong = rawConnection(port);
  wrong.write(`${headOf(['Content-Length: 100']).replace(SECRET, 'wrong')}{"action"`);
  assert.equal(statusesOf(await wrong.closed), ['401']);
  assert.is((await send(url)).status, 200);
  await close();
});

test('a body announced as too large is refused unread; one that grows too large is not read on', async () => {
  const { port, close } = await testWebhooks({ limits: { bodyBytes: 100 } });
  const announced = rawConnection(port);
  announced.write(headOf(['Content-Length: 5000000']));
  assert.equal(statusesOf(await announced.until('}')), ['413']);
  const growing = rawConnection(port);
  growing.write(headOf(['Transfer-Encoding: chunked']));
  for (let n = 0; n < 20; n++) growing.write(`10\r\n${'x'.repeat(16)}\r\n`);
  assert.equal(statusesOf(await growing.until('"result":{}')), ['413']);
  announced.socket.destroy();
  growing.socket.destroy();
  await close();
});

test('a client that sends its large body to the end gets its answer and keeps its connection', async () => {
  const { port, close } = await testWebhooks({ limits: { bodyBytes: 100 } });
  const { write, until, socket } = rawConnection(port);
  write(`${headOf(['Content-Length: 300000'])}${'x'.repeat(300_000)}`);
  await until('payload_too_large');
  write(`${headOf([`Content-Length: ${LIST.length}`])}${LIST}`);
  assert.equal(statusesOf(await until('"flows"')), ['413', '200']);
  socket.destroy();
  await close();
});

test('requests sent in one go are answered one after the other', async () => {
  const { port, close } = await testWebhooks();
  const { write, until, socket } = rawConnection(port);
  const create = JSON.stringify({ action: 'create_flow', goal: 'first' });
  const look = JSON.stringify({ action: 'get_flow', flowId: 'none' });
  const requests = [create, LIST, look].map(
    (body) => `${headOf([`Content-Length: ${body.length}`])}${body}`,
  );
  const wrong = headOf(['Content-Length: 0']).replace('POST', 'PUT');
  write([...requests.slice(0, 2), wrong, ...requests.slice(2)].join(''));
  const text = await until('"flow":null');
  socket.destroy();
  assert.equal(statusesOf(text), ['200', '200', '405', '200']);
  const order = ['"goal":"first"', '"flows":[', 'method_not_allowed', '"flow":null'];
  const places = order.map((part) => text.indexOf(part));
  assert.equal(
    places,
    places.toSorted((x, y) => x - y),
  );
  await close();
});

test('requests in flight beyond the limit are refused, and the others served', async () => {
  const { port, url, close } = await testWebhooks({ limits: { inFlight: 2 } });
  const waiting = [rawConnection(port), rawConnection(port)];
  for (const { write } of waiting) write(`${headOf([`Content-Length: ${LIST.length}`])}{`);
  const refused = await waitFor('a refusal', async () => {
    const answer = await send(url);
    return answer.status === 429 ? answer : undefined;
  });
  assert.is(refused.body['code'], 'too_many_in_flight');
  assert.is(refused.headers.get('retry-after'), '1');
  for (const { write } of waiting) write(LIST.slice(1));
  for (const { until, socket } of waiting) {
    assert.equal(statusesOf(await until('"flows"')), ['200']);
    socket.destroy();
  }
  assert.is((await send(url)).status, 200);
  await close();
});

test('a client that disconnects in the middle of its body releases its slot', async () => {
  const { port, url, close } = await testWebhooks({ limits: { inFlight: 1 } });
  for (let n = 0; n < 5; n++) {
    const { write, socket } = rawConnection(port);
    await once(socket, 'connect');
    write(`${headOf(['Content-Length: 100'])}{"act`);
    socket.end();
    socket.destroy();
  }
  await waitFor('a free place', async () => (await send(url)).status === 200);
  await close();
});

test('a client that disconnects in the middle of its body is counted and logged once', async () => {
  const { port, lines, webhooks, close } = await testWebhooks();
  const { write, socket, closed } = rawConnection(port);
  await once(socket, 'connect');
  write(`${headOf(['Content-Length: 100'])}{"act`);
  socket.end();
  await closed;
  const ended = /^svc_webhook_requests_total\{.*status="400".*\} 1$/mu;
  await waitFor('its end', async () => ended.test(await webhooks.metrics.text()));
  assert.not.match(await webhooks.metrics.text(), /^svc_webhook_unrouted_requests_total\{/mu);
  assert.is(lines.filter((line) => line.includes('"rejected"')).length, 1, lines.join('\n'));
  await close();
});

test('clients that reset their connections right after requests have no address, and do no harm', async () => {
  const { port, url, lines, webhooks, close } = await testWebhooks({ limits: { inFlight: 100 } });
  const requests = `${headOf([`Content-Length: ${LIST.length}`])}${LIST}`.repeat(4);
  const refused = headOf(['Expect: a miracle', 'Content-Length: 0']);
  const clients = Array.from({ length: 10 }, () => rawConnection(port));
  for (const [at, { socket, write }] of clients.entries()) {
    socket.once('connect', () => {
      write(at % 2 === 0 ? requests : refused + requests);
      socket.resetAndDestroy();
    });
  }
  await Promise.all(clients.map(({ closed }) => closed));
  assert.is((await send(url)).status, 200);
  assert.equal(
    lines.filter((line) => JSON.parse(line).level === 'error'),
    [],
  );
  // Those that waited for an earlier one of their connection, too.
  await waitFor('their end', async () => (await inFlight(webhooks)) === 0);
  await close();
});

test('input that is not HTTP, has too many headers or is truncated gets 4xx or nothing', async () => {
  const { port, url, close } = await testWebhooks({
    limits: { bodyTimeoutSeconds: 1 },
    patience: { headersMs: 300, checkEveryMs: 50, spareMs: 100 },
  });
  const many = Array.from({ length: 5000 }, (_, n) => `X-H-${n}: ${'v'.repeat(20)}`);
  const texts = [
    'hello\r\n\r\n',
    `POST ${PATH} HTTP/9.9\r\n\r\n`,
    `BREW ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`,
    headOf(many),
    headOf([`X-Long: ${'v'.repeat(100_000)}`]),
    headOf(['Content-Length: 10', 'Content-Length: 11']),
    headOf(['Content-Length: -1']),
    headOf(['Content-Length: 5', 'Transfer-Encoding: chunked']),
    `${headOf(['Transfer-Encoding: chunked'])}zz\r\n`,
    `POST ${PATH} HTTP/1.1\r\nContent-Length: 3\r\n\r\n`,
    headOf(['Bad Header: x']),
    headOf(['Expect: miracles', 'Content-Length: 0', 'Connection: close']),
    `POST ${PATH} HTTP/1.1\r\nHost: a\r\nX-Half`,
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]),
  ];
  for (const text of texts) {
    const { write, closed } = rawConnection(port);
    write(text);
    for (const status of statusesOf(await closed)) {
      assert.match(status, /^4\d\d$/, String(text).slice(0, 80));
    }
  }
  assert.is((await send(url)).status, 200);
  await close();
});

test('slow headers are cut off, and idle connections do not lock out honest clients', async () => {
  const { port, url, close } = await testWebhooks({
    patience: { headersMs: 400, checkEveryMs: 50, spareMs: 100 },
  });
  const drips = Array.from({ length: 50 }, () => rawConnection(port));
  const idle = Array.from({ length: 500 }, () => rawConnection(port));
  await Promise.all([...drips, ...idle].map(({ socket }) => once(socket, 'connect')));
  const dripping = setInterval(() => {
    for (const { write, socket } of drips) if (!socket.destroyed) write('X');
  }, 20);
  for (const { write } of drips) write(`POST ${PATH} HTTP/1.1\r\nHost: a\r\nX-Drip: `);
  assert.is((await send(url)).status, 200);
  for (const { closed } of drips) {
    for (const status of statusesOf(await closed)) assert.is(status, '408');
  }
  clearInterval(dripping);
  await Promise.all(idle.map(({ closed }) => closed));
  assert.is((await send(url)).status, 200);
  await close();
});

test('a reload gives bodies more time', async () => {
  const { port, webhooks, loaded, close } = await testWebhooks({
    limits: { bodyTimeoutSeconds: 1 },
    patience: { headersMs: 200, checkEveryMs: 50, spareMs: 100 },
  });
  const routes = { ci: { sessionKey: SESSION, secret: SECRET } };
  const limits = { bodyTimeoutSeconds: 60 };
  assert.ok(await webhooks.reload(loaded({ routes, limits })));
  const { write, until, socket } = rawConnection(port);
  write(`${headOf([`Content-Length: ${LIST.length}`])}${LIST.slice(0, 5)}`);
  // Longer than before the reload, when it was cut off after 1.3 s.
  await sleep(2000);
  write(LIST.slice(5));
  assert.equal(statusesOf(await until('"flows"')), ['200']);
  socket.destroy();
  await close();
});

test('draining answers requests in flight and refuses new ones', async () => {
  const { port, url, webhooks, lines, close } = await testWebhooks();
  const { write, until, socket } = rawConnection(port);
  const create = JSON.stringify({ action: 'create_flow', goal: 'under way' });
  write(`${headOf([`Content-Length: ${create.length}`])}${create.slice(0, 5)}`);
  await waitFor('a request under way', async () => {
    const { body } = await send(url);
    return body['ok'] === true && (await inFlight(webhooks)) === 1;
  });
  const drained = Promise.all([webhooks.drain(), webhooks.drain()]);
  const turned = await send(url);
  assert.equal([turned.status, turned.body['code']], [503, 'draining']);
  assert.ok(Number(turned.headers.get('retry-after')) > 0);
  assert.is(turned.headers.get('connection'), 'close');
  // Every restart turns requests away: that is no fault.
  const logged = lines.filter((line) => line.includes('"code":"draining"'));
  assert.match(logged.join(), /"level":"info"/u);
  write(create.slice(5));
  const text = await until('"goal":"under way"');
  assert.equal(statusesOf(text), ['200']);
  assert.match(text, /^connection: close\r$/imu);
  socket.destroy();
  await drained;
  await close();
});

test('a request that arrives while the listener stops is refused, not cut off', async () => {
  const { port, webhooks, close } = await testWebhooks();
  const { write, until, closed } = rawConnection(port);
  const list = `${headOf([`Content-Length: ${LIST.length}`])}${LIST}`;
  write(list);
  await until('"flows"');
  const ended = webhooks.drain().then(close);
  write(list);
  const text = await closed;
  assert.equal(statusesOf(text), ['200', '503'], text);
  await ended;
});

test('garbage after requests does not replace their answers', async () => {
  const { port, lines, close } = await testWebhooks();
  const create = JSON.stringify({ action: 'create_flow', goal: 'first' });
  const one = `${headOf([`Content-Length: ${create.length}`])}${create}`;
  const part = headOf(['Transfer-Encoding: chunked']);
  for (const [rest, expected] of [
    [`${one}nonsense\r\n\r\n`, ['200', '200', '400']],
    [`${part}zz\r\n`, ['200', '400']],
  ] as const) {
    const { write, closed } = rawConnection(port);
    write(`${one}${rest}`);
    const text = await closed;
    assert.equal(statusesOf(text), expected);
    assert.ok(text.indexOf('"created":true') < text.indexOf('bad_request'), text);
  }
  assert.is(lines.filter((line) => line.includes('not valid HTTP')).length, 1, lines.join('\n'));
  await close();
});

test('a client that sends garbage after a request and stays does not delay closing', async () => {
  const patience = { checkEveryMs: 600_000 };
  const { port, webhooks, close } = await testWebhooks({ patience });
  const { write, until, socket } = rawConnection(port, { allowHalfOpen: true });
  write(`${headOf([`Content-Length: ${LIST.length}`])}${LIST}\0`);
  await until('bad_request');
  await waitFor('the end of the request', async () => (await inFlight(webhooks)) === 0);
  socket.destroy();
  await close();
});

/** A listener whose only request gets this body. */
function listenerWith(
  body: unknown,
  { log, onAnswered }: Pick<ConstructorParameters<typeof WebhookListener>[0], 'log' | 'onAnswered'>,
): WebhookListener {
  const { limits } = resolveConfig({}).plugins.entries.webhooks.config;
  const { answer } = rejection('ci', 'invalid_request');
  return new WebhookListener({
    address: { host: '127.0.0.1', port: 0, tls: undefined, trustedProxies: [] },
    log,
    findRoute: routeFinder([routeOf('ci', PATH)]),
    limits,
    pipeline: {
      handle: async () => ({ answer: { ...answer, body: Object(body) }, action: null }),
    },
    onAnswered,
    onFault: () => undefined,
  });
}

test('an answer that cannot be written is a 500, and counted', async () => {
  const counted: number[] = [];
  const unwritable = {
    toJSON: () => {
      throw new RangeError('Invalid string length');
    },
  };
  const listener = listenerWith(unwritable, {
    log: testLog().logger,
    onAnswered: ({ status }) => counted.push(status),
  });
  const url = await listener.listen(() => undefined);
  const { status, body } = await send(url);
  assert.equal([status, body['code'], counted], [500, 'internal_error', [500]]);
  await listener.close();
});

test('a failure after the answer was sent is logged, and ends nothing', async () => {
  const { logger, lines } = testLog();
  const listener = listenerWith(
    { ok: false },
    {
      log: logger,
      onAnswered: () => {
        throw new Error('no record');
      },
    },
  );
  const url = await listener.listen(() => undefined);
  for (let time = 0; time < 2; time++) assert.is((await send(url)).status, 400);
  assert.is(lines.filter((line) => line.includes('no record')).length, 2);
  await listener.close();
});

test.run();
