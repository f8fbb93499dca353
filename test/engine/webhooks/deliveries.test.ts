import { createHmac } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFlows } from '../../../src/engine/flows/index.js';
import { NEVER } from '../../../src/engine/support/async.js';
import { tryMapping } from '../../../src/engine/webhooks/map/try-mapping.js';
import { createVerifier } from '../../../src/engine/webhooks/verify/verifier.js';
import { contextOf } from '../../support/context.js';
import { tempFolder } from '../../support/temp-folder.js';
import {
  act,
  CI_ROUTE,
  loadedOf,
  send,
  type TestAnswer,
  type TestWebhooks,
  testWebhooks,
  webhooksConfig,
} from '../../support/webhooks.js';

const test = suite('deliveries of other systems');

const KEY = 'a-signing-key-of-tests-0123456789';
const SESSION = 'agent:main:ci';

const PUSH = {
  when: { event: 'push', '/deleted': false },
  action: 'create_flow',
  set: {
    goal: 'Build {/head_commit/message} by {/sender/login}',
    notifyPolicy: 'silent',
    stateJson: { pr: '{/number}', ref: '{/ref}', commits: '{/commits}', missing: '{/nothing}' },
  },
} as const;

const GITHUB = {
  sessionKey: SESSION,
  verify: { scheme: 'github', secrets: [KEY] },
  map: [PUSH, { when: { event: 'star' }, ignore: true }],
} as const;

const BODY = {
  ref: 'refs/heads/main',
  deleted: false,
  number: 42,
  commits: [{ id: 'a1' }],
  head_commit: { message: 'Fix it' },
  sender: { login: 'ada' },
} as const;

interface Delivery {
  readonly event?: string;
  readonly id?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const github = createVerifier({ scheme: 'github', secrets: [], toleranceSeconds: 300 }, [KEY]);

/** Sends what GitHub would send to the route `gh`. */
function deliver(url: string, { event = 'push', id, body = BODY, headers = {} }: Delivery = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return send(url, {
    path: '/plugins/webhooks/gh',
    secret: undefined,
    body: text,
    headers: {
      ...github.sign(Buffer.from(text), { id: '', nowMs: 0 }),
      'x-github-event': event,
      ...(id === undefined ? {} : { 'x-github-delivery': id }),
      ...headers,
    },
  });
}

async function withRoute(
  route: object,
  work: (webhooks: TestWebhooks) => Promise<void>,
  more: object = {},
): Promise<void> {
  const webhooks = await testWebhooks({ routes: { gh: route, ...more } });
  try {
    await work(webhooks);
  } finally {
    await webhooks.close();
  }
}

interface SeenFlow {
  readonly flowId: string;
  readonly goal: string;
  readonly controllerId: string;
  readonly stateJson?: unknown;
}

function flowOf({ body }: TestAnswer): SeenFlow {
  const { flow } = Object(body['result']);
  return flow;
}

async function flowCount(url: string): Promise<number> {
  const { body } = await send(url);
  const { flows } = Object(body['result']);
  return flows.length;
}

test('a signed push becomes a flow with the values and types of its body', async () => {
  await withRoute(GITHUB, async ({ url }) => {
    const answer = await deliver(url);
    assert.is(answer.status, 200, JSON.stringify(answer.body));
    const { goal, stateJson, controllerId } = flowOf(answer);
    assert.is(goal, 'Build Fix it by ada');
    assert.is(controllerId, 'webhooks/gh');
    assert.equal(stateJson, { pr: 42, ref: 'refs/heads/main', commits: [{ id: 'a1' }] });
  });
});

test('a wrong, missing or repeated signature is refused before anything is done', async () => {
  await withRoute(GITHUB, async ({ url }) => {
    const cases = [
      [{ 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }, /does not match/],
      [{ 'x-hub-signature-256': '' }, /X-Hub-Signature-256 is missing/],
      [{ authorization: `Bearer ${KEY}`, 'x-hub-signature-256': '' }, /is missing/],
    ] as const;
    for (const [headers, error] of cases) {
      const { status, body } = await deliver(url, { headers });
      assert.equal([status, body['code']], [401, 'unauthorized']);
      assert.match(String(body['error']), error);
    }
    const packed = await deliver(url, { headers: { 'content-encoding': 'gzip' } });
    assert.equal([packed.status, packed.body['code']], [415, 'unsupported_media_type']);
    assert.is(await flowCount(url), 0);
  });
});

test('a delivery that no rule matches gets 202, or 422 if so configured', async () => {
  const ignored = { ok: true, routeId: 'gh', code: 'ignored', result: {} };
  await withRoute(GITHUB, async ({ url }) => {
    for (const event of ['star', 'fork']) {
      const answer = await deliver(url, { event });
      assert.equal([answer.status, answer.body], [202, ignored], event);
    }
    const deleted = await deliver(url, { body: { ...BODY, deleted: true } });
    assert.is(deleted.status, 202);
  });
  await withRoute({ ...GITHUB, unmatched: 'reject' }, async ({ url }) => {
    const { status, body } = await deliver(url, { event: 'fork' });
    assert.equal([status, body['code']], [422, 'unmatched']);
    assert.is((await deliver(url, { event: 'star' })).status, 202);
  });
});

test('a route can answer with 200 where others answer with 202', async () => {
  const map = [
    { when: { event: 'push' }, action: 'cancel_flow', set: { flowId: '{/flowId}' } },
    { when: { event: 'star' }, ignore: true },
  ];
  for (const acceptedStatus of [undefined, 202, 200] as const) {
    await withRoute({ ...GITHUB, map, acceptedStatus }, async ({ url, home, loaded }) => {
      const expected = acceptedStatus ?? 202;
      for (const event of ['star', 'fork']) {
        const answer = await deliver(url, { event });
        assert.equal([answer.status, answer.body['code']], [expected, 'ignored']);
      }
      const { flowId } = flowOf(await act(url, { action: 'create_flow', goal: 'g' }));
      // The worker of a task has to learn of the cancellation first.
      await act(url, { action: 'run_task', flowId, runtime: 'acp', task: 't' });
      const context = contextOf(home.path);
      const flows = await openFlows(context, loaded({}).resolved);
      await flows.tasks.claim({ worker: 'w' });
      await flows.close();
      const cancelled = await deliver(url, { body: { flowId } });
      assert.equal([cancelled.status, cancelled.body['code']], [expected, 'cancel_pending']);
      assert.is((await deliver(url, { event: 'ping', body: { zen: 'x' } })).status, 200);
    });
  }
});

test('a media type that the route cannot read is refused with the same message without a listener', async () => {
  const headers = { 'content-type': 'text/plain' };
  await withRoute(GITHUB, async ({ url, loaded, home }) => {
    const { body } = await deliver(url, { headers });
    const tried = await tryMapping(
      {
        routeId: 'gh',
        body: Buffer.from('{}'),
        headers: JSON.stringify(headers),
        atMs: 0,
        signal: NEVER,
      },
      loaded({ routes: { gh: GITHUB } }),
      contextOf(home.path),
    );
    assert.match(tried.error ?? '', /urlencoded/);
    assert.equal([tried.outcome, tried.error], [body['code'], body['error']]);
  });
});

test('a recorded body with a byte order mark is JSON', async () => {
  const map = [{ action: 'create_flow', set: { goal: '{/title}' } }];
  const tried = await tryMapping(
    {
      routeId: 'any',
      body: Buffer.from('\uFEFF{"title":"t"}'),
      headers: undefined,
      atMs: 0,
      signal: NEVER,
    },
    loadedOf(webhooksConfig({ any: { ...CI_ROUTE, map } })),
    contextOf(tempFolder().path),
  );
  assert.equal(
    [tried.outcome, tried.event, tried.action?.[0]?.['goal']],
    ['action', null, 't'],
    'a request without an event has null as its event',
  );
});

test('the line break at the end of a saved body is not part of it', async () => {
  const map = [{ action: 'create_flow', set: { goal: '{/text}' } }];
  const slack = { sessionKey: SESSION, verify: { scheme: 'slack', secrets: [KEY] }, map };
  for (const [end, isVerified] of [
    ['', true],
    ['\n', true],
    ['\r\n', true],
    ['\n\n', false],
  ] as const) {
    const body = 'command=%2Ftask&text=tidy';
    const mac = createHmac('sha256', KEY).update(`v0:1000:${body}`).digest('hex');
    const tried = await tryMapping(
      {
        routeId: 'slack',
        body: Buffer.from(body + end),
        headers: `x-slack-request-timestamp: 1000\nx-slack-signature: v0=${mac}`,
        atMs: 1_000_000,
        signal: NEVER,
      },
      loadedOf(webhooksConfig({ slack })),
      contextOf(tempFolder().path),
    );
    assert.is(tried.verified, isVerified, JSON.stringify(end));
    if (isVerified) assert.is(tried.action?.[0]?.['goal'], 'tidy');
  }
});

test('a signed delivery cannot be repeated under an id that is not signed', async () => {
  const secret = `whsec_${btoa('k'.repeat(32))}`;
  const scheme = 'standard-webhooks';
  const verify = { scheme, secrets: [secret] };
  const sender = createVerifier({ scheme, secrets: [], toleranceSeconds: 300 }, [secret]);
  const route = {
    sessionKey: SESSION,
    verify,
    map: [{ action: 'create_flow', set: { goal: 'g' } }],
  };
  await withRoute(route, async ({ url }) => {
    const body = '{"type":"invoice.paid"}';
    const signed = sender.sign(Buffer.from(body), { id: 'msg_1', nowMs: Date.now() });
    const captured = Object.fromEntries(
      Object.entries(signed).map(([name, value]) => [name.replace('webhook-', 'svix-'), value]),
    );
    const repeat = (more: Readonly<Record<string, string>>) =>
      send(url, {
        path: '/plugins/webhooks/gh',
        secret: undefined,
        body,
        headers: { ...captured, ...more },
      });
    assert.is((await repeat({})).status, 200);
    assert.is((await repeat({})).headers.get('idempotent-replayed'), 'true');
    assert.is((await repeat({ 'webhook-id': 'forged' })).status, 401);
    assert.is(await flowCount(url), 1);
  });
});

test('1,000 deliveries of one id create one flow, and repeats get the first answer', async () => {
  const limits = { ratePerWindow: 10_000, inFlight: 1000 };
  const webhooks = await testWebhooks({ routes: { gh: GITHUB }, limits });
  const { url } = webhooks;
  try {
    const first = await deliver(url, { id: 'd1' });
    assert.is(first.headers.get('idempotent-replayed'), null);
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => deliver(url, { id: 'd1' })),
      );
      for (const answer of answers) {
        assert.equal(answer.body, first.body);
        assert.is(answer.headers.get('idempotent-replayed'), 'true');
      }
    }
    assert.is(await flowCount(url), 1);
    const other = await deliver(url, { id: 'd1', body: { ...BODY, number: 43 } });
    assert.equal([other.status, other.body['code']], [409, 'delivery_mismatch']);
    assert.is((await deliver(url, { id: 'd2' })).headers.get('idempotent-replayed'), null);
    assert.is(await flowCount(url), 2);
    const invalid = await deliver(url, { id: 'x'.repeat(256) });
    assert.is(invalid.status, 400);
  } finally {
    await webhooks.close();
  }
});

test('the id of a delivery belongs to its route', async () => {
  const own = { ...GITHUB, path: '/other' };
  await withRoute(
    GITHUB,
    async ({ url }) => {
      await deliver(url, { id: 'd1' });
      const text = JSON.stringify(BODY);
      const headers = {
        ...github.sign(Buffer.from(text), { id: '', nowMs: 0 }),
        'x-github-event': 'push',
        'x-github-delivery': 'd1',
      };
      const answer = await send(url, { path: '/other', secret: undefined, body: text, headers });
      assert.equal([answer.status, answer.headers.get('idempotent-replayed')], [200, null]);
      assert.is(await flowCount(url), 2);
    },
    { other: own },
  );
});

test('a rule can start a task in the flow it creates, at once', async () => {
  const rule = {
    action: 'create_flow',
    set: { goal: 'Review {/number}' },
    task: { runtime: 'subagent', task: 'Review change {/number}', sourceId: '{/number}' },
  };
  await withRoute({ ...GITHUB, map: [rule] }, async ({ url }) => {
    const answer = await deliver(url, { id: 'd1' });
    assert.is(answer.status, 200, JSON.stringify(answer.body));
    const { created, task } = Object(answer.body['result']);
    assert.equal(
      [created, task.task, task.sourceId, task.status],
      [true, 'Review change 42', '42', 'queued'],
    );
    assert.equal((await deliver(url, { id: 'd1' })).body, answer.body);
    const { body } = await send(url, {
      body: JSON.stringify({ action: 'get_task_summary', flowId: flowOf(answer).flowId }),
    });
    assert.is(Object(body['result']).summary.total, 1);
  });
});

test('a body from outside cannot choose who acts for whom, and its text stays text', async () => {
  const map = [{ action: 'create_flow', set: { goal: '{/goal}', stateJson: '{/all}' } }];
  await withRoute({ ...GITHUB, map }, async ({ url }) => {
    const body = {
      goal: '{/secret} $(rm -rf ~) {{x}}',
      secret: 'no',
      action: 'cancel_flow',
      controllerId: 'evil',
      all: { action: 'cancel_flow', text: '{/secret}' },
    };
    const flow = flowOf(await deliver(url, { body }));
    assert.is(flow.goal, body.goal);
    assert.is(flow.controllerId, 'webhooks/gh');
    assert.equal(flow.stateJson, body.all);
  });
});

test('null and empty texts in a body are left out of fields that cannot have them', async () => {
  const rule = {
    action: 'create_flow',
    set: { goal: 'Run', notifyPolicy: '{/none}', currentStep: '{/none}', stateJson: '{/none}' },
    task: { runtime: 'acp', task: 'Run', label: '{/none}', sourceId: '{/none}{/none}' },
  };
  await withRoute({ ...GITHUB, map: [rule] }, async ({ url }) => {
    for (const none of [null, '', ' ']) {
      const answer = await deliver(url, { body: { none } });
      assert.is(answer.status, 200, JSON.stringify(answer.body));
      const { flow, task } = Object(answer.body['result']);
      assert.is(flow.notifyPolicy, 'done_only');
      assert.not.ok('currentStep' in flow || 'label' in task || 'sourceId' in task);
      assert.is(flow.stateJson, none);
    }
  });
});

test('missing, mistyped or too long values are refused', async () => {
  const map = [{ action: 'create_flow', set: { goal: '{/goal}', stateJson: { all: '{/all}' } } }];
  await withRoute({ ...GITHUB, map }, async ({ url }) => {
    const failed = async (body: object): Promise<string> => {
      const answer = await deliver(url, { body });
      assert.equal([answer.status, answer.body['code']], [422, 'mapping_failed']);
      return String(answer.body['error']);
    };
    assert.match(await failed({}), /Rule 1 .*goal: is missing/);
    assert.match(await failed({ goal: null }), /Rule 1 .*goal: is missing/);
    assert.match(await failed({ goal: ' ' }), /goal: must not be empty/);
    assert.match(await failed({ goal: { a: 1 } }), /goal: must be a string/);
    assert.match(await failed({ goal: 'x', all: ['x'.repeat(70_000)] }), /more than 65536 char/);
    assert.is(flowOf(await deliver(url, { body: { goal: 7 } })).goal, '7');
    const long = flowOf(await deliver(url, { body: { goal: '🙂'.repeat(9000) } })).goal;
    assert.is(long.length, 8191);
    assert.ok(long.isWellFormed() && long.endsWith('🙂…'));
  });
});

test('64-bit numbers of other systems are read as texts, digit by digit', async () => {
  const map = [
    {
      when: { '/id': '820982911946154508' },
      action: 'create_flow',
      set: { goal: 'Order {/id}', stateJson: '{/rest}' },
    },
  ];
  const rest = String.raw`[9007199254740991,9007199254740992,-9223372036854775808,1e20,0.12345678901234567,"\"9223372036854775807"]`;
  const body = `{"id":820982911946154508,"rest":${rest}}`;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  await withRoute({ ...GITHUB, map, deliveryId: '/id' }, async ({ url }) => {
    const { goal, stateJson } = flowOf(await deliver(url, { body }));
    assert.is(goal, 'Order 820982911946154508');
    assert.equal(stateJson, [
      9_007_199_254_740_991,
      '9007199254740992',
      '-9223372036854775808',
      1e20,
      0.123_456_789_012_345_66,
      '"9223372036854775807',
    ]);
    const next = await deliver(url, { body: body.replace('508', '509') });
    assert.equal([next.status, next.body['code']], [202, 'ignored']);
    assert.is((await deliver(url, { body })).headers.get('idempotent-replayed'), 'true');
  });
  await withRoute({ ...GITHUB, map }, async ({ url }) => {
    const payload = `payload=${encodeURIComponent(body)}`;
    assert.is(
      flowOf(await deliver(url, { body: payload, headers: form })).goal,
      'Order 820982911946154508',
    );
  });
});

test('half an emoji, where another system cut a text, is replaced', async () => {
  const map = [{ action: 'create_flow', set: { goal: '{/a}', stateJson: '{/b}' } }];
  await withRoute({ ...GITHUB, map }, async ({ url }) => {
    const body = String.raw`{"a":"cut \ud83d","b":["\ude42 \uD83D\uDE42",{"\ud800":"\\ud800"}]}`;
    const { goal, stateJson } = flowOf(await deliver(url, { body }));
    assert.is(goal, 'cut \ufffd');
    assert.equal(stateJson, ['\ufffd 🙂', { '\ufffd': String.raw`\ud800` }]);
  });
});

test('forms are read, with their JSON in the field payload', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  await withRoute(GITHUB, async ({ url }) => {
    const body = `payload=${encodeURIComponent(JSON.stringify(BODY))}`;
    assert.is(flowOf(await deliver(url, { body, headers: form })).goal, 'Build Fix it by ada');
  });
  const map = [{ when: { '/command': '/do' }, action: 'create_flow', set: { goal: '{/text}' } }];
  await withRoute({ ...GITHUB, map }, async ({ url }) => {
    const answer = await deliver(url, { body: 'command=%2Fdo&text=a+b%26', headers: form });
    assert.is(flowOf(answer).goal, 'a b&');
    for (const body of ['command=a&command=b', '__proto__=x', '']) {
      const refused = await deliver(url, { body, headers: form });
      assert.equal([refused.status, refused.body['code']], [400, 'invalid_request'], body);
    }
  });
  await withRoute({ ...GITHUB, map: undefined }, async ({ url }) => {
    assert.is((await deliver(url, { body: 'action=list_flows', headers: form })).status, 415);
  });
});

test('verification requests of senders are answered, once verified', async () => {
  await withRoute(GITHUB, async ({ url }) => {
    const { status, body } = await deliver(url, { event: 'ping', body: { zen: 'x', hook_id: 1 } });
    assert.equal([status, body['code']], [200, 'ping']);
  });
  const slack = createVerifier({ scheme: 'slack', secrets: [], toleranceSeconds: 300 }, [KEY]);
  const route = { sessionKey: SESSION, verify: { scheme: 'slack', secrets: [KEY] }, map: [] };
  const echo = { sessionKey: SESSION, secret: KEY, challenge: '/token', map: [] };
  await withRoute(
    route,
    async ({ url }) => {
      const text = '{"type":"url_verification","challenge":"3eZbrw1aB"}';
      const headers = slack.sign(Buffer.from(text), { id: '', nowMs: Date.now() });
      const path = '/plugins/webhooks/gh';
      const answer = await send(url, { path, secret: undefined, body: text, headers });
      assert.equal([answer.status, answer.body], [200, { challenge: '3eZbrw1aB' }]);
      assert.is((await send(url, { path, secret: undefined, body: text })).status, 401);
      const echoed = { path: '/plugins/webhooks/echo', secret: KEY, body: '{"token":"t1"}' };
      assert.equal((await send(url, echoed)).body, { token: 't1' });
      assert.is((await send(url, { ...echoed, body: '{"token":1}' })).status, 202);
    },
    { echo },
  );
});

test('a route without rules accepts signed actions, and the ids of deliveries', async () => {
  const verify = { scheme: 'standard-webhooks', secrets: [`whsec_${btoa(KEY)}`] };
  const standard = createVerifier(
    { scheme: 'standard-webhooks', secrets: [], toleranceSeconds: 9 },
    [`whsec_${btoa(KEY)}`],
  );
  await withRoute({ sessionKey: SESSION, verify }, async ({ url }) => {
    const sent = (id: string, text: string, nowMs = Date.now()) =>
      send(url, {
        path: '/plugins/webhooks/gh',
        secret: undefined,
        body: text,
        headers: standard.sign(Buffer.from(text), { id, nowMs }),
      });
    const text = '{"action":"create_flow","goal":"x"}';
    const first = await sent('m1', text);
    assert.is(first.status, 200, JSON.stringify(first.body));
    const again = await sent('m1', text, Date.now() - 5000);
    assert.equal(again.body, first.body);
    assert.is(again.headers.get('idempotent-replayed'), 'true');
    const late = await sent('m2', text, Date.now() - 400_000);
    assert.equal([late.status, late.body['code']], [401, 'unauthorized']);
  });
});

test('only networks that a route allows can send', async () => {
  await withRoute({ ...GITHUB, allow: ['10.0.0.0/8', '2001:db8::/32'] }, async ({ url }) => {
    const { status, body } = await deliver(url);
    assert.equal([status, body['code']], [403, 'forbidden']);
  });
  const trusting = await testWebhooks({
    routes: {
      gh: { ...GITHUB, allow: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7', '2001:db9::7'] },
    },
    gateway: { trustedProxies: ['127.0.0.1'] },
  });
  for (const [address, status] of [
    ['10.1.2.3', 200],
    ['::ffff:10.1.2.3', 200],
    ['2001:db8:1::7', 200],
    ['192.0.2.7', 200],
    ['2001:db9::7', 200],
    ['192.0.2.8', 403],
    ['11.1.2.3', 403],
    ['2001:db9::1', 403],
  ] as const) {
    const answer = await deliver(trusting.url, { headers: { 'x-forwarded-for': address } });
    assert.is(answer.status, status, address);
  }
  await trusting.close();
  await withRoute({ ...GITHUB, allow: ['loopback'] }, async ({ url }) => {
    assert.is((await deliver(url)).status, 200);
  });
});

test('a route with several secrets accepts those that can be read, and reports the other', async () => {
  for (const secrets of [
    [KEY, 'env:NOT_SET'],
    ['env:NOT_SET', KEY],
    ['env:EMPTY', KEY],
  ]) {
    const route = { ...GITHUB, verify: { scheme: 'github', secrets } };
    const { url, webhooks, close } = await testWebhooks({
      routes: { gh: route },
      env: { EMPTY: '' },
    });
    const status = webhooks.routeStatuses.find(({ id }) => id === 'gh');
    assert.is(status?.state, 'served');
    assert.match(
      status?.fault?.message ?? '',
      /one of its secrets is not accepted: .*(NOT_SET|EMPTY)/,
    );
    assert.is((await deliver(url)).status, 200);
    await close();
  }
});

test('a route whose secrets cannot be read is skipped', async () => {
  const verify = { scheme: 'github', secrets: ['env:NOT_SET', 'env:NOT_SET_2'] };
  await withRoute({ ...GITHUB, verify }, async ({ url, webhooks }) => {
    const status = webhooks.routeStatuses.find(({ id }) => id === 'gh');
    assert.is(status?.state, 'skipped');
    assert.match(status?.fault?.message ?? '', /NOT_SET/);
    assert.is((await deliver(url)).status, 404);
  });
});

test('an event that Stripe sends again counts for fewer addresses, and is the same', async () => {
  const stripe = createVerifier({ scheme: 'stripe', secrets: [], toleranceSeconds: 300 }, [KEY]);
  const route = {
    sessionKey: SESSION,
    verify: { scheme: 'stripe', secrets: [KEY] },
    map: [{ action: 'create_flow', set: { goal: '{/data/object/id}' } }],
  };
  await withRoute(route, async ({ url }) => {
    const sent = (id: string, pending: number) => {
      const event = { id: 'evt_1', type: 'invoice.paid', data: { object: { id } } };
      const body = JSON.stringify({ ...event, pending_webhooks: pending });
      return send(url, {
        path: '/plugins/webhooks/gh',
        secret: undefined,
        body,
        headers: stripe.sign(Buffer.from(body), { id: '', nowMs: Date.now() }),
      });
    };
    const first = await sent('in_1', 2);
    assert.is(first.status, 200, JSON.stringify(first.body));
    assert.equal((await sent('in_1', 1)).body, first.body);
    assert.is((await sent('in_2', 1)).status, 409);
    assert.is(await flowCount(url), 1);
  });
});

test('a time in the body makes repeats differ, so the action is compared', async () => {
  const settings = { scheme: 'hmac', header: 'Linear-Signature', timestamp: '/webhookTimestamp' };
  const verify = { ...settings, secrets: [KEY] };
  const route = {
    sessionKey: SESSION,
    verify,
    deliveryId: 'Linear-Delivery',
    eventName: 'Linear-Event',
    map: [{ when: { event: 'Issue' }, action: 'create_flow', set: { goal: '{/data/title}' } }],
  };
  const hmac = { algorithm: 'sha256', encoding: 'hex', prefix: '', payload: '{body}' } as const;
  const linear = createVerifier(
    { ...hmac, scheme: 'hmac', header: 'Linear-Signature', secrets: [], toleranceSeconds: 300 },
    [KEY],
  );
  await withRoute(route, async ({ url }) => {
    const sent = (title: string, webhookTimestamp: number) => {
      const body = JSON.stringify({ webhookTimestamp, data: { title } });
      return send(url, {
        path: '/plugins/webhooks/gh',
        secret: undefined,
        body,
        headers: {
          ...linear.sign(Buffer.from(body), { id: '', nowMs: 0 }),
          'linear-delivery': 'd1',
          'linear-event': 'Issue',
        },
      });
    };
    const first = await sent('A', Date.now());
    assert.is(first.status, 200, JSON.stringify(first.body));
    assert.equal((await sent('A', Date.now() - 60_000)).body, first.body);
    assert.is((await sent('B', Date.now())).status, 409);
    assert.is((await sent('A', Date.now() - 400_000)).status, 401);
  });
});

test.run();
