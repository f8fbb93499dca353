import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { callRoute, readCallData } from '../../../src/engine/webhooks/call-route.js';

import { SESSION, testWebhooks } from '../../support/webhooks.js';

test('a secret beyond ASCII is sent as the bytes that curl sends', async () => {
  const secret = 'grüße-aus-zürich-€-1234567890';
  const { url, home, loaded, close } = await testWebhooks({
    routes: { zh: { sessionKey: SESSION, secret } },
  });
  const call = {
    routeId: 'zh',
    action: 'create_flow',
    data: { goal: 'Züge – pünktlich' },
    idempotencyKey: undefined,
    baseUrl: url,
    signal: new AbortController().signal,
  };
  const context = {
    env: {},
    cwd: home.path,
    homeDir: home.path,
    state: resolveStatePaths({ SVC_HOME: home.path }, home.path),
    clock: { now: Date.now },
  };
  const options = loaded({ routes: { zh: { sessionKey: SESSION, secret } } });
  const { status, answer } = await callRoute(call, options, context);
  assert.equal([status, Object(answer['result']).flow.goal], [200, 'Züge – pünktlich']);
  await close();
});

test('data that the listener would keep as something else is refused before it is sent', () => {
  for (const data of ['{"n":9007199254740993}', '{"a":1,"a":2}', '{"t":"\\ud800"}']) {
    assert.throws(() => readCallData(data, () => ''), /--data contains /u, data);
  }
  assert.equal(
    readCallData('{"n":9007199254740991}', () => ''),
    { n: 9007199254740991 },
  );
});

test.run();
