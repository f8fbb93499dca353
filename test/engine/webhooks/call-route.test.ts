import { type AddressInfo, createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NEVER } from '../../../src/engine/support/async.js';
import {
  callRoute,
  type RouteCall,
  readCallData,
} from '../../../src/engine/webhooks/call-route.js';
import { contextOf } from '../../support/context.js';
import { failureOf } from '../../support/failure.js';
import { SECRET, SESSION, testWebhooks } from '../../support/webhooks.js';

/** A listener with one route, and a call of it. */
async function callable(secret: string) {
  const routes = { zh: { sessionKey: SESSION, secret } };
  const { url, home, loaded, close } = await testWebhooks({ routes });
  const call = (more: Partial<RouteCall>, added: object = {}) =>
    callRoute(
      {
        routeId: 'zh',
        action: 'create_flow',
        data: {},
        idempotencyKey: undefined,
        baseUrl: url,
        signal: NEVER,
        ...more,
      },
      loaded({ routes: { ...routes, ...added } }),
      contextOf(home.path),
    );
  return { url, call, close };
}

test('a secret beyond ASCII is sent as the bytes that curl sends', async () => {
  const { call, close } = await callable('grüße-aus-zürich-€-1234567890');
  const { status, answer } = await call({ data: { goal: 'Züge – pünktlich' } });
  assert.equal([status, Object(answer['result']).flow.goal], [200, 'Züge – pünktlich']);
  await close();
});

test('an action in the data does not replace the requested one', async () => {
  const { call, close } = await callable('a-secret-of-tests-1234567890');
  const error = await failureOf(call({ action: 'list_flows', data: { action: 'cancel_flow' } }));
  assert.equal(
    [error.code, error.message],
    ['USAGE', '--data contains another action: "cancel_flow"'],
  );
  const same = await call({ action: 'list_flows', data: { action: 'list_flows' } });
  assert.is(same.status, 200);
  await close();
});

test('nothing is sent to port 0, which is any free one before a listener runs', async () => {
  const { call, close } = await callable('a-secret-of-tests-1234567890');
  const error = await failureOf(call({ baseUrl: 'http://127.0.0.1:0' }));
  assert.is(error.code, 'WEBHOOK_UNREACHABLE');
  assert.match(error.message, /: no listener is running that has chosen a port$/);
  await close();
});

test('an https address of a listener without TLS is explained', async () => {
  const { url, call, close } = await callable('a-secret-of-tests-1234567890');
  const error = await failureOf(call({ baseUrl: url.replace('http:', 'https:') }));
  assert.is(error.code, 'WEBHOOK_UNREACHABLE');
  assert.match(error.message, /: it does not answer with TLS$/);
  assert.match(error.hint ?? '', /http:\/\//);
  await close();
});

test('a route that the running listener does not know yet is explained', async () => {
  const secret = 'a-secret-of-tests-1234567890';
  const { call, close } = await callable(secret);
  const error = await failureOf(
    call({ routeId: 'late' }, { late: { sessionKey: SESSION, secret } }),
  );
  assert.is(error.code, 'WEBHOOK_UNREACHABLE');
  assert.match(error.message, /\/plugins\/webhooks\/late: the listener does not serve it$/u);
  assert.match(error.hint ?? '', /SIGHUP.*"svc webhook routes" shows whether it is off/u);
  const unknownFlow = await call({ action: 'cancel_flow', data: { flowId: 'none' } });
  assert.equal([unknownFlow.status, unknownFlow.answer['code']], [404, 'not_found']);
  await close();
});

test('a listener that accepts a connection and stays silent times out', async () => {
  const { call, close } = await callable(SECRET);
  const silent = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const error = await failureOf(call({ baseUrl: `http://127.0.0.1:${port}`, silenceMs: 50 }));
  assert.is(error.code, 'WEBHOOK_UNREACHABLE');
  assert.match(error.message, /: no answer for 0\.05 s$/u);
  silent.close();
  await close();
});

test('the address of a proxy can have a path', async () => {
  const { url, call, close } = await callable(SECRET);
  const below = { zh: { sessionKey: SESSION, secret: SECRET, path: '/webhooks/zh' } };
  for (const baseUrl of [`${url}/plugins`, `${url}/plugins/`]) {
    const sent = await call({ baseUrl, action: 'list_flows' }, below);
    assert.equal([sent.url, sent.status], [`${url}/plugins/webhooks/zh`, 200]);
  }
  await close();
});

test('a path with an escaped separator is shown as it was configured', async () => {
  const { url, call, close } = await callable(SECRET);
  const slash = { zh: { sessionKey: SESSION, secret: SECRET, path: '/a%2Fb/%25c/ü' } };
  const error = await failureOf(call({}, slash));
  assert.match(error.message, new RegExp(`${url}/a%2Fb/%25c/%C3%BC: `, 'u'));
  await close();
});

test('data of more than a listener accepts is refused, with the limit', async () => {
  const tooLarge = (): never => {
    throw Object.assign(new Error('EFBIG'), { code: 'EFBIG' });
  };
  for (const [data, name] of [
    ['@/dev/zero', '/dev/zero'],
    ['-', 'stdin'],
  ] as const) {
    const error = await failureOf((async () => readCallData(data, tooLarge))());
    assert.is(error.message, `--data: ${name}: it is too large`);
    assert.is(error.hint, 'a request can have at most 104.9 MB');
  }
});

test('data that the listener would store differently is refused before it is sent', () => {
  for (const data of ['{"n":9007199254740993}', '{"a":1,"a":2}', '{"t":"\\ud800"}']) {
    assert.throws(() => readCallData(data, () => ''), /--data contains /u, data);
  }
  assert.equal(
    readCallData('{"n":9007199254740991}', () => ''),
    { n: 9007199254740991 },
  );
});

test.run();
