import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PATH, SECRET, send, type TestRequest, testWebhooks } from '../../support/webhooks.js';

const test = suite('the steps of a request');

interface Fault {
  readonly name: string;
  readonly request: TestRequest;
  readonly status: number;
  readonly code: string;
}

/** One fault for each step, in the order in which they are found. */
const FAULTS: readonly Fault[] = [
  { name: 'method', request: { method: 'PUT' }, status: 405, code: 'method_not_allowed' },
  {
    name: 'content type',
    request: { headers: { 'content-type': 'text/plain' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  { name: 'secret', request: { secret: 'wrong' }, status: 401, code: 'unauthorized' },
  {
    name: 'size',
    request: { body: `"${'x'.repeat(2000)}"` },
    status: 413,
    code: 'payload_too_large',
  },
];

test('each step refuses with its status, its code and the one shape of a rejection', async () => {
  const { url, close } = await testWebhooks({ limits: { bodyBytes: 1000 } });
  for (const { name, request, status, code } of FAULTS) {
    const answer = await send(url, request);
    assert.is(answer.status, status, name);
    const { error, ...rest } = answer.body;
    assert.equal(rest, { ok: false, routeId: 'ci', code, result: {} });
    assert.type(error, 'string');
    assert.is(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  }
  await close();
});

test('of several faults the one of the earliest step is reported', async () => {
  const { url, close } = await testWebhooks({ limits: { bodyBytes: 1000 } });
  for (const [at, first] of FAULTS.entries()) {
    const request: TestRequest = Object.assign(
      {},
      ...FAULTS.slice(at).map((fault) => fault.request),
    );
    assert.is((await send(url, request)).body['code'], first.code, `from ${first.name} on`);
  }
  await close();
});

test('other methods than POST get the allowed one', async () => {
  const { url, close } = await testWebhooks();
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const answer = await send(url, { method, body: null });
    assert.equal([answer.status, answer.headers.get('allow')], [405, 'POST'], method);
  }
  await close();
});

test('the window of a route counts refused requests too, but not other methods', async () => {
  const { url, close } = await testWebhooks({ limits: { ratePerWindow: 3, windowSeconds: 3600 } });
  await send(url, { method: 'PUT' });
  await send(url, { secret: 'wrong' });
  await send(url, { headers: { 'content-type': 'text/plain' } });
  assert.is((await send(url)).status, 200);
  const answer = await send(url, { headers: { 'content-type': 'text/plain' } });
  assert.equal([answer.status, answer.body['code']], [429, 'rate_limited']);
  const seconds = Number(answer.headers.get('retry-after'));
  assert.ok(seconds > 3590 && seconds <= 3600, String(seconds));
  await close();
});

test('clients behind a trusted proxy have windows of their own; others cannot claim to be one', async () => {
  const limits = { ratePerWindow: 1, windowSeconds: 3600 };
  const ada = { headers: { 'x-forwarded-for': '203.0.113.1' } };
  const bob = { headers: { 'x-forwarded-for': '203.0.113.2' } };
  const trusting = await testWebhooks({ limits, gateway: { trustedProxies: ['127.0.0.1'] } });
  assert.is((await send(trusting.url, ada)).status, 200);
  assert.is((await send(trusting.url, bob)).status, 200);
  assert.is((await send(trusting.url, ada)).status, 429);
  await trusting.close();
  const plain = await testWebhooks({ limits });
  assert.is((await send(plain.url, ada)).status, 200);
  assert.is((await send(plain.url, bob)).status, 429);
  await plain.close();
});

test('a bearer token overrides the header, even a wrong one; other schemes are ignored', async () => {
  const { url, close } = await testWebhooks();
  const own = 'x-svc-webhook-secret';
  const cases: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
    [{}, 401],
    [{ [own]: SECRET }, 200],
    [{ [own]: `${SECRET}x` }, 401],
    [{ authorization: `bearer ${SECRET}` }, 200],
    [{ authorization: `BEARER  ${SECRET}` }, 200],
    [{ authorization: SECRET }, 401],
    [{ authorization: `Bearer wrong`, [own]: SECRET }, 401],
    [{ authorization: 'Bearer', [own]: SECRET }, 401],
    [{ authorization: `Basic ${SECRET}`, [own]: SECRET }, 200],
    [{ authorization: `Bearer ${SECRET}`, [own]: 'wrong' }, 200],
    [{ authorization: `Bearer ${SECRET.slice(0, -1)}` }, 401],
  ];
  for (const [headers, status] of cases) {
    const answer = await send(url, { secret: undefined, headers });
    assert.is(answer.status, status, JSON.stringify(headers));
    if (status === 401) assert.is(answer.headers.get('www-authenticate'), 'Bearer');
  }
  await close();
});

test('a secret of any signs is compared by its bytes', async () => {
  const secret = 'geheim-äöü-秘密-0123456789-abcdef';
  const routes = { ci: { sessionKey: 'agent:main:ci', secret } };
  const { url, close } = await testWebhooks({ routes });
  const bytes = Buffer.from(secret, 'utf8').toString('latin1');
  assert.is((await send(url, { secret: bytes })).status, 200);
  await close();
});

test('JSON types are accepted with UTF-8 or no charset, but not compressed', async () => {
  const { url, close } = await testWebhooks();
  const cases: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
    [{ 'content-type': 'application/json' }, 200],
    [{ 'content-type': 'Application/JSON; charset=UTF-8' }, 200],
    [{ 'content-type': 'application/json;charset="utf-8"' }, 200],
    [{ 'content-type': 'application/vnd.github+json' }, 200],
    [{ 'content-type': 'application/json; charset=latin1' }, 415],
    [{ 'content-type': 'application/jsonp' }, 415],
    [{ 'content-type': 'text/json' }, 415],
    [{ 'content-type': '' }, 415],
    [{ 'content-encoding': 'gzip' }, 415],
    [{ 'content-encoding': 'identity' }, 200],
  ];
  for (const [headers, status] of cases) {
    assert.is((await send(url, { headers })).status, status, JSON.stringify(headers));
  }
  await close();
});

test('bodies that are not an action are invalid requests, with location and reason', async () => {
  const { url, close } = await testWebhooks();
  const cases: readonly (readonly [string, string])[] = [
    ['', 'body: is empty'],
    ['{', 'body: is not JSON'],
    ['[]', 'body: must be an object'],
    ['{}', 'action: must be one of: create_flow, '],
    ['{"action":"fly"}', 'action: must be one of: create_flow, '],
    ['{"action":"get_flow"}', 'flowId: is missing'],
    ['{"action":"get_flow","flowId":7}', 'flowId: must be a string'],
    ['{"action":"get_flow","flowId":"  "}', 'flowId: must not be empty'],
    ['{"action":"list_flows","x":1}', 'body: has the unknown field "x"'],
    [
      '{"action":"finish_flow","flowId":"a","expectedRevision":-1}',
      'expectedRevision: must be 0 or more',
    ],
    [
      '{"action":"finish_flow","flowId":"a","expectedRevision":1.5}',
      'expectedRevision: must be a whole number',
    ],
    [
      '{"action":"create_flow","goal":"a","status":"done"}',
      'status: must be one of: queued, running, waiting, blocked',
    ],
    ['{"action":"run_task","flowId":"a","task":"t"}', 'runtime: is missing'],
    [
      '{"action":"run_task","flowId":"a","runtime":"acp","task":"t","startedAt":1}',
      'startedAt: is only for tasks with status "running"',
    ],
    ['{"action":"list_flows","action":"list_flows"}', 'body: contains a duplicate field'],
    ['{"action":"list_flows","\\u0061ction":"list_flows"}', 'body: contains a duplicate field'],
    // Ends with a backslash, which escapes no quote.
    ['{"action":"create_flow","goal":"\\\\","goal":"b"}', 'body: contains a duplicate field'],
    [
      '{"action":"create_flow","goal":"a","stateJson":{"__proto__":1}}',
      'body: contains a field named',
    ],
    [
      '{"action":"create_flow","goal":"a","stateJson":1e999}',
      'body: contains a number that is too',
    ],
    [
      '{"action":"create_flow","goal":"a","stateJson":9007199254740993}',
      'body: contains a whole number beyond 9007199254740991; send it as a string',
    ],
    [
      '{"action":"create_flow","goal":"a","stateJson":-9007199254740993.0}',
      'body: contains a whole',
    ],
    ['{"action":"create_flow","goal":"a\\ud800"}', 'body: contains an unpaired surrogate'],
    [
      '{"action":"create_flow","goal":"a","stateJson":{"\\udc00\\ud800":1}}',
      'body: contains an unpaired surrogate',
    ],
    [
      `{"action":"create_flow","goal":"a","stateJson":${'['.repeat(100)}${']'.repeat(100)}}`,
      'body: is nested deeper than 64 levels',
    ],
  ];
  for (const [body, error] of cases) {
    const answer = await send(url, { body });
    assert.equal([answer.status, answer.body['code']], [400, 'invalid_request'], body);
    assert.ok(String(answer.body['error']).startsWith(error), `${answer.body['error']} of ${body}`);
    assert.equal([answer.body['routeId'], answer.body['result']], ['ci', {}]);
  }
  const notUtf8 = await send(url, { body: new Uint8Array([0x22, 0xc3, 0x28, 0x22]) });
  assert.is(notUtf8.body['error'], 'body: is not UTF-8');
  const marked = await send(url, { body: '\uFEFF{"action":"list_flows"}' });
  assert.is(marked.status, 200);
  // Its digits would not fit a whole number.
  const fraction = '{"action":"create_flow","goal":"a","stateJson":-0.9007199254740993}';
  assert.is((await send(url, { body: fraction })).status, 200);
  await close();
});

test('a route is found by its exact path, escaped or not, with or without a slash at its end', async () => {
  const routes = {
    spaced: { sessionKey: 's', secret: SECRET, path: 'hooks/ä-b/' },
  };
  const { url, close } = await testWebhooks({ routes });
  const found = [PATH, `${PATH}/`, `${PATH}?a=1`, '/hooks/%C3%A4-b', '/hooks/%c3%a4-b/?x'];
  const lost = ['/', `${PATH}x`, `/x${PATH}`, PATH.toUpperCase(), `${PATH}/x`, `/${PATH}`];
  for (const path of found) assert.is((await send(url, { path })).status, 200, path);
  for (const path of lost) {
    const answer = await send(url, { path });
    assert.is(answer.status, 404, path);
    assert.equal(answer.body, { error: { code: 'not_found', message: 'there is nothing here' } });
  }
  assert.is((await send(url, { path: '/%zz' })).status, 400);
  await close();
});

test('disabled routes, and those with an unreadable secret, are not found', async () => {
  const routes = {
    off: { sessionKey: 's', secret: SECRET, enabled: false },
    broken: { sessionKey: 's', secret: 'env:NOT_THERE' },
    undeclared: { sessionKey: 's', secret: { source: 'file', provider: 'vault', id: '/ci' } },
    kept: { sessionKey: 's', secret: 'env:THERE' },
  };
  const { url, webhooks, close } = await testWebhooks({ routes, env: { THERE: SECRET } });
  const status = async (id: string) =>
    (await send(url, { path: `/plugins/webhooks/${id}` })).status;
  assert.equal(
    [await status('off'), await status('broken'), await status('undeclared'), await status('kept')],
    [404, 404, 404, 200],
  );
  assert.equal(
    webhooks.routeStatuses.map(({ id, state }) => [id, state]),
    [
      ['ci', 'served'],
      ['off', 'off'],
      ['broken', 'skipped'],
      ['undeclared', 'skipped'],
      ['kept', 'served'],
    ],
  );
  await close();
});

test('spaces and line breaks around a secret do not count; one that no sender can send skips the route', async () => {
  const token = (scheme: string) => ({ scheme, secrets: ['env:PADDED'] });
  const routes = {
    own: { sessionKey: 's', secret: 'env:PADDED' },
    bearer: { sessionKey: 's', verify: token('bearer') },
    gitlab: { sessionKey: 's', verify: token('gitlab') },
    basic: { sessionKey: 's', verify: { scheme: 'basic', secrets: ['env:LOGIN'] } },
    blank: { sessionKey: 's', secret: 'env:BLANK' },
    lines: { sessionKey: 's', secret: 'env:LINES' },
    password: { sessionKey: 's', verify: token('basic') },
  };
  const env = {
    PADDED: ` ${SECRET}\r\n`,
    LOGIN: 'ada:pass\n',
    BLANK: ' \n',
    LINES: `${SECRET}\n${SECRET}`,
  };
  const { url, webhooks, close } = await testWebhooks({ routes, env });
  const login = `Basic ${Buffer.from('ada:pass').toString('base64')}`;
  for (const [id, headers] of Object.entries({
    own: { authorization: `Bearer ${SECRET}` },
    bearer: { authorization: `Bearer ${SECRET}` },
    gitlab: { 'x-gitlab-token': SECRET },
    basic: { authorization: login },
  })) {
    const path = `/plugins/webhooks/${id}`;
    assert.is((await send(url, { path, headers, secret: undefined })).status, 200, id);
  }
  const faults = webhooks.routeStatuses.map(({ id, state, fault }) => [id, state, fault?.message]);
  assert.equal(faults.slice(-3), [
    ['blank', 'skipped', 'cannot resolve env BLANK: the value is blank'],
    ['lines', 'skipped', 'the secret contains a control character such as a line break'],
    ['password', 'skipped', 'the secret is not a user name and a password'],
  ]);
  await close();
});

test('every answer has the ID of its request and must not be cached', async () => {
  const { url, lines, close } = await testWebhooks();
  const answer = await send(url, { headers: { 'x-request-id': 'from-proxy-1' } });
  assert.is(answer.headers.get('x-request-id'), 'from-proxy-1');
  assert.is(answer.headers.get('cache-control'), 'no-store');
  await close();
  assert.ok(lines.some((line) => line.includes('"requestId":"from-proxy-1"')));
  assert.not(lines.some((line) => line.includes(SECRET)));
});

test.run();
