import { createHmac } from 'node:crypto';
import { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkConfigText } from '../../../src/engine/config/check.js';
import { type ResolvedRoute, resolveConfig } from '../../../src/engine/config/index.js';
import { PRESETS } from '../../../src/engine/webhooks/trigger-preset.js';
import type { Verifier } from '../../../src/engine/webhooks/verify/schemes.js';
import { createVerifier } from '../../../src/engine/webhooks/verify/verifier.js';

const test = suite('verifying senders');

/** `verify` as it is written in a configuration. */
function verifier(verify: object, secrets: readonly string[]): Verifier {
  const routes = { r: { sessionKey: 's', verify: { secrets, ...verify } } };
  const config = resolveConfig(
    JSON.parse(JSON.stringify({ plugins: { entries: { webhooks: { config: { routes } } } } })),
  );
  return createVerifier(config.plugins.entries.webhooks.config.routes['r']?.verify, secrets);
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Why a request is refused; undefined if it is accepted. */
function refusal(
  one: Verifier,
  headers: Headers,
  body: string | Buffer,
  nowSeconds = 1_700_000_000,
): string | undefined {
  const distinct = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    typeof value === 'string' ? [value] : value,
  ]);
  const joined = distinct.map(([name, values]) => [name, [values].flat().join(', ')]);
  const check = one.checkHead(
    { headers: Object.fromEntries(joined), headersDistinct: Object.fromEntries(distinct) },
    nowSeconds * 1000,
  );
  return check.ok ? check.checkBody(Buffer.from(body)) : check.error;
}

const B = '{"test":1}';
const K = 'test_secret';
const T = '1700000000';
const STANDARD = { scheme: 'standard-webhooks' };
const STANDARD_KEY = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

interface Vector {
  readonly name: string;
  readonly verify: object;
  readonly secret: string;
  readonly headers: Headers;
  readonly body: string;
  readonly at?: number;
}

const hexOf = (header: string, more: object = {}) => ({ scheme: 'hmac', header, ...more });

const VECTORS: readonly Vector[] = [
  {
    name: 'Standard Webhooks',
    verify: STANDARD,
    secret: STANDARD_KEY,
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    at: 1_614_265_330,
  },
  {
    name: 'Svix, with signatures of other versions and keys',
    verify: STANDARD,
    secret: STANDARD_KEY,
    headers: {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature':
        'v1a,AAAA v1,bm9wZQ== v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v2,else',
    },
    body: '{"test": 2432232314}',
    at: 1_614_265_330,
  },
  {
    name: 'GitHub',
    verify: { scheme: 'github' },
    secret: "It's a Secret to Everybody",
    headers: {
      'X-Hub-Signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    body: 'Hello, World!',
  },
  {
    name: 'GitHub form',
    verify: { scheme: 'github' },
    secret: "It's a Secret to Everybody",
    headers: {
      'X-Hub-Signature-256':
        'sha256=3c64f431616c89475d0a0d0e8d150ef40d1aa2f2863bd887b3f8e41bc81361b3',
    },
    body: 'payload=%7B%22zen%22%3A%22Hello%22%7D',
  },
  {
    name: 'GitLab with a signing token',
    verify: STANDARD,
    secret: 'whsec_dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q=',
    headers: {
      'webhook-id': 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f',
      'webhook-timestamp': T,
      'webhook-signature': 'v1,KIsS0Mb2LS1NEocLwm6PU2Wzb5TmNhgchTmGoJXssq4=',
    },
    body: B,
  },
  {
    name: 'Slack',
    verify: { scheme: 'slack' },
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    headers: {
      'X-Slack-Request-Timestamp': T,
      'X-Slack-Signature': 'v0=385e8236a98ad1daa39c523bd9203c09efb6cdf1f62fa3e6aa75289756feb773',
    },
    body: B,
  },
  {
    name: 'Slack form',
    verify: { scheme: 'slack' },
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    headers: {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    at: 1_531_420_618,
  },
  {
    name: 'Stripe',
    verify: { scheme: 'stripe' },
    secret: 'whsec_test_secret',
    headers: {
      'Stripe-Signature': `t=${T},v1=bb17510a40c2d39361e4a7ba886707246c3a092f0865361597b1f0f9c0fab2d0`,
    },
    body: B,
  },
  {
    name: 'Shopify',
    verify: hexOf('X-Shopify-Hmac-Sha256', { encoding: 'base64' }),
    secret: K,
    headers: { 'X-Shopify-Hmac-Sha256': 'B0Or/4Kvxnhc9jgtmiqeiCxqwIJjgMUVzNAQHCCfWuY=' },
    body: B,
  },
  ...['Sentry-Hook-Signature', 'X-Gitea-Signature', 'X-Grafana-Alerting-Signature'].map(
    (header): Vector => ({
      name: header,
      verify: hexOf(header),
      secret: K,
      headers: { [header]: '0743abff82afc6785cf6382d9a2a9e882c6ac0826380c515ccd0101c209f5ae6' },
      body: B,
    }),
  ),
  {
    name: 'Bitbucket',
    verify: hexOf('X-Hub-Signature', { prefix: 'sha256=' }),
    secret: K,
    headers: {
      'X-Hub-Signature': 'sha256=0743abff82afc6785cf6382d9a2a9e882c6ac0826380c515ccd0101c209f5ae6',
    },
    body: B,
  },
  {
    name: 'PagerDuty, with the signature of another secret first',
    verify: hexOf('X-PagerDuty-Signature', { prefix: 'v1=' }),
    secret: K,
    headers: {
      'X-PagerDuty-Signature':
        'v1=e879bb762ef8f91d768b4a27a1f8d0b4c606e98d44e5c6c04f7c952d193a34e2,v1=0743abff82afc6785cf6382d9a2a9e882c6ac0826380c515ccd0101c209f5ae6',
    },
    body: B,
  },
  {
    name: 'a prefix with a comma, and the signature of another secret first',
    verify: hexOf('X-Signature', { prefix: 'v1,' }),
    secret: K,
    headers: {
      'X-Signature':
        'v1,e879bb762ef8f91d768b4a27a1f8d0b4c606e98d44e5c6c04f7c952d193a34e2 v1,0743abff82afc6785cf6382d9a2a9e882c6ac0826380c515ccd0101c209f5ae6',
    },
    body: B,
  },
  {
    name: 'a prefix with a comma and a space',
    verify: hexOf('Authorization', { prefix: 'Signature id=1,value=' }),
    secret: K,
    headers: {
      Authorization:
        'Signature id=1,value=0743abff82afc6785cf6382d9a2a9e882c6ac0826380c515ccd0101c209f5ae6',
    },
    body: B,
  },
  {
    name: 'Grafana with a timestamp',
    verify: hexOf('X-Grafana-Alerting-Signature', {
      timestamp: 'X-Grafana-Timestamp',
      payload: '{timestamp}:{body}',
    }),
    secret: K,
    headers: {
      'X-Grafana-Timestamp': T,
      'X-Grafana-Alerting-Signature':
        '445530ad57bdebe817e129e5ad55811935caa8499c5f4a64aca6e5851474c0ef',
    },
    body: B,
  },
  {
    name: 'Linear',
    verify: hexOf('Linear-Signature', { timestamp: '/webhookTimestamp' }),
    secret: K,
    headers: {
      'Linear-Signature': '0300a83e3ed8a515d9f0db3b641814516409a68ff8baae46108684fccaf9fa01',
    },
    body: '{"webhookTimestamp":1700000000000}',
  },
];

test('signatures that vendors publish are accepted, and no change of them is', () => {
  for (const { name, verify, secret, headers, body, at } of VECTORS) {
    const one = verifier(verify, [secret]);
    const refused = (other: Headers, text: string = body) => refusal(one, other, text, at);
    assert.is(refused(headers), undefined, name);
    assert.ok(refused(headers, `${body} `), `${name}: body`);
    for (const [header, value] of Object.entries(headers)) {
      const { [header]: _, ...others } = headers;
      assert.match(refused(others) ?? '', /is missing/, `${name}: without ${header}`);
      assert.match(
        refused({ ...headers, [header]: [String(value), String(value)] }) ?? '',
        /more than once/,
        `${name}: ${header} twice`,
      );
      assert.ok(refused({ ...headers, [header]: '' }), `${name}: empty ${header}`);
    }
    assert.match(refusal(verifier(verify, ['bm9wZW5vcGVub3Bl']), headers, body, at) ?? '', /match/);
  }
});

test('a time is accepted within the tolerance in both directions', () => {
  for (const { name, verify, secret, headers, body, at } of VECTORS) {
    const now = at ?? Number(T);
    const one = verifier({ ...verify, toleranceSeconds: 60 }, [secret]);
    const isTimed = /timestamp|stripe|slack|standard/iu.test(JSON.stringify(verify));
    for (const skew of [-60, 60]) {
      assert.is(refusal(one, headers, body, now + skew), undefined, `${name} ${skew}`);
    }
    for (const skew of [-61, 61]) {
      assert.is(refusal(one, headers, body, now + skew) !== undefined, isTimed, `${name} ${skew}`);
    }
  }
});

test('a time can have decimals, as Python writes it', () => {
  const hmac = { scheme: 'hmac', header: 'x-sig' };
  const signed = (text: string) => createHmac('sha256', K).update(text).digest('hex');
  const inHeader = verifier({ ...hmac, timestamp: 'x-time', payload: '{timestamp}.{body}' }, [K]);
  const inBody = verifier({ ...hmac, timestamp: '/time' }, [K]);
  for (const [time, isAccepted] of [
    [`${T}.5`, true],
    [`${T}000.123456`, true],
    ['1699999700.1', true],
    ['1699999699.9', false],
  ] as const) {
    const headers = { 'x-time': time, 'x-sig': signed(`${time}.${B}`) };
    assert.is(refusal(inHeader, headers, B) === undefined, isAccepted, time);
    for (const body of [`{"time":${time}}`, `{"time":"${time}"}`]) {
      assert.is(refusal(inBody, { 'x-sig': signed(body) }, body) === undefined, isAccepted, body);
    }
  }
});

test('a signed time of another form is not called old', () => {
  const slack = verifier({ scheme: 'slack' }, [K]);
  const headers = { 'x-slack-signature': `v0=${'0'.repeat(64)}` };
  const refusalAt = (at: string) =>
    refusal(slack, { ...headers, 'x-slack-request-timestamp': at }, B, Number(T));
  assert.match(refusalAt('2023-11-14T22:13:20Z') ?? '', /not in seconds or milliseconds/u);
  assert.match(refusalAt('1600000000') ?? '', /more than 300 s ago/u);
});

test('every secret of a route is valid, so that one can be replaced', () => {
  for (const { name, verify, secret, headers, body, at } of VECTORS) {
    const other = 'b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90aGVy';
    for (const secrets of [
      [secret, other],
      [other, secret],
    ]) {
      assert.is(refusal(verifier(verify, secrets), headers, body, at), undefined, name);
    }
  }
});

test('svc accepts its own signatures', () => {
  for (const { name, verify, secret, body } of VECTORS) {
    if (name === 'Linear') continue;
    const one = verifier(verify, [secret]);
    const nowMs = 1_700_000_000_000;
    const headers = one.sign(Buffer.from(body), { id: 'msg_1', nowMs });
    assert.is(refusal(one, headers, body), undefined, name);
  }
});

test('svc and the libraries of vendors accept the signatures of each other', async () => {
  const body = '{"zen":"Ünïcode, and \\u2028"}';
  const now = Math.floor(Date.now() / 1000);
  const how = { id: 'msg_1', nowMs: now * 1000 };

  const github = verifier({ scheme: 'github' }, [K]);
  const signed = await octokitSign(K, body);
  assert.is(refusal(github, { 'x-hub-signature-256': signed }, body), undefined);
  const ours = github.sign(Buffer.from(body), how)['x-hub-signature-256'] ?? '';
  assert.ok(await octokitVerify(K, body, ours));

  const { webhooks } = new Stripe('sk_test_1');
  const stripe = verifier({ scheme: 'stripe' }, [K]);
  const header = webhooks.generateTestHeaderString({ payload: body, secret: K, timestamp: now });
  assert.is(refusal(stripe, { 'stripe-signature': header }, body, now), undefined);
  const event = webhooks.constructEvent(
    body,
    stripe.sign(Buffer.from(body), how)['stripe-signature'] ?? '',
    K,
  );
  assert.equal(event, JSON.parse(body));

  const library = new Webhook(STANDARD_KEY);
  const standard = verifier(STANDARD, [STANDARD_KEY]);
  const headers = {
    'webhook-id': how.id,
    'webhook-timestamp': String(now),
    'webhook-signature': library.sign(how.id, new Date(how.nowMs), body),
  };
  assert.is(refusal(standard, headers, body, now), undefined);
  assert.equal(
    library.verify(body, { ...standard.sign(Buffer.from(body), how) }),
    JSON.parse(body),
  );
});

test('the exact bytes count, whether or not they are text', () => {
  const one = verifier({ scheme: 'github' }, [K]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const body = Buffer.from(bytes);
      const headers = one.sign(body, { id: '', nowMs: 0 });
      assert.is(refusal(one, headers, body), undefined);
      assert.ok(refusal(one, headers, Buffer.concat([body, Buffer.of(10)])));
    }),
  );
});

test('tokens and passwords are compared whole', () => {
  const basic = verifier({ scheme: 'basic' }, ['ada:pass:word', 'bob:ünïcode']);
  const header = (text: string) => ({
    authorization: `Basic ${Buffer.from(text).toString('base64')}`,
  });
  for (const right of ['ada:pass:word', 'bob:ünïcode']) {
    assert.is(refusal(basic, header(right), B), undefined);
  }
  for (const wrong of ['ada:pass', 'ada', '', 'ada:pass:word ', 'bob:pass:word']) {
    assert.ok(refusal(basic, header(wrong), B), wrong);
  }
  assert.ok(refusal(basic, { authorization: 'Bearer ada:pass:word' }, B));
  assert.ok(refusal(basic, {}, B));
  const gitlab = verifier({ scheme: 'gitlab' }, ['token-1', 'token-2']);
  assert.is(refusal(gitlab, { 'X-Gitlab-Token': 'token-2' }, B), undefined);
  assert.ok(refusal(gitlab, { 'X-Gitlab-Token': ['token-2', 'token-2'] }, B));
  assert.ok(refusal(gitlab, { 'X-Gitlab-Token': 'token' }, B));
  assert.ok(refusal(gitlab, { authorization: 'Bearer token-2' }, B));
  const bearer = verifier({ scheme: 'bearer' }, ['one', 'two']);
  assert.is(refusal(bearer, { authorization: 'Bearer two' }, B), undefined);
  assert.ok(refusal(bearer, { authorization: 'Bearer three' }, B));
  // Node.js takes the first of several.
  const twice = { authorization: ['Bearer two', 'Bearer three'] };
  assert.not.ok(
    bearer.checkHead({ headers: { authorization: 'Bearer two' }, headersDistinct: twice }, 0).ok,
  );
});

test('signatures of another form are refused, and so are the vendor schemes without security', () => {
  const github = verifier({ scheme: 'github' }, [K]);
  const right = github.sign(Buffer.from(B), { id: '', nowMs: 0 })['x-hub-signature-256'] ?? '';
  const hex = right.slice('sha256='.length);
  assert.is(
    refusal(github, { 'x-hub-signature-256': `sha256=${hex.toUpperCase()}` }, B),
    undefined,
  );
  for (const wrong of [
    hex,
    `sha1=${hex}`,
    `sha256=${hex.slice(2)}`,
    `sha256=${hex}00`,
    `${right} `,
    'sha256=',
    `sha256=${hex},sha256=${hex}`,
  ]) {
    assert.ok(refusal(github, { 'x-hub-signature-256': wrong }, B), wrong);
  }
  const stripe = verifier({ scheme: 'stripe' }, [K]);
  const header = stripe.sign(Buffer.from(B), { id: '', nowMs: Number(T) * 1000 })[
    'stripe-signature'
  ];
  const signed = header ?? '';
  assert.is(refusal(stripe, { 'stripe-signature': `${signed},v0=${hex}` }, B), undefined);
  for (const wrong of [
    signed.replace('v1=', 'v0='),
    `t=1,${signed}`,
    `${signed},t=1`,
    signed.replace(/t=\d+,/u, ''),
    signed.replace('t=17', 't=+17'),
  ]) {
    assert.ok(refusal(stripe, { 'stripe-signature': wrong }, B), wrong);
  }
});

test('toleranceSeconds is reported as unused for exactly the senders that sign no time', () => {
  type Verify = NonNullable<ResolvedRoute['verify']>;
  const forms: Readonly<Record<Verify['scheme'], readonly object[]>> = {
    basic: [{}],
    bearer: [{}],
    github: [{}],
    gitlab: [{}],
    slack: [{}],
    'standard-webhooks': [{}],
    stripe: [{}],
    hmac: [{ header: 'x-s' }, { header: 'x-s', timestamp: 'x-t', payload: '{timestamp}.{body}' }],
  };
  for (const [scheme, each] of Object.entries(forms)) {
    for (const form of each) {
      const secrets = [scheme === 'basic' ? 'user:correct horse battery' : STANDARD_KEY];
      const verify = { scheme, ...form, toleranceSeconds: 60, secrets };
      const one = verifier(verify, secrets);
      const headers = one.sign(Buffer.from(B), { id: 'd1', nowMs: Number(T) * 1000 });
      const isTimed = refusal(one, headers, B, Number(T) + 3600) !== undefined;
      assert.is(refusal(one, headers, B, Number(T)), undefined, scheme);
      const routes = { r: { sessionKey: 's', verify } };
      const config = { plugins: { entries: { webhooks: { config: { routes } } } } };
      const { faults, warnings } = checkConfigText('/svc.json', JSON.stringify(config));
      assert.equal(faults, []);
      const isReported = warnings.some(({ path }) => path.endsWith('.toleranceSeconds'));
      assert.is(isReported, !isTimed, JSON.stringify(verify));
    }
  }
});

test('the last of the repeats of Linear is accepted, with the time of the first', () => {
  const preset = PRESETS.find(({ name }) => name === 'linear.issue');
  const linear = verifier({ ...preset?.route.verify, secrets: [K] }, [K]);
  const body = '{"webhookTimestamp":1700000000000}';
  const signed = linear.sign(Buffer.from(body), { id: '', nowMs: 0 });
  // After 1 minute, 1 hour and 6 hours (linear.app/developers/webhooks).
  assert.is(refusal(linear, signed, body, 1_700_000_000 + 7 * 3600 + 60), undefined);
  assert.ok(refusal(linear, signed, body, 1_700_000_000 + 9 * 3600));
});

test('a secret of Standard Webhooks can have the version in front, as Supabase shows it', () => {
  const nowMs = 1_700_000_000_000;
  const signed = verifier(STANDARD, [STANDARD_KEY]).sign(Buffer.from(B), { id: 'm', nowMs });
  assert.is(refusal(verifier(STANDARD, [`v1,${STANDARD_KEY}`]), signed, B), undefined);
});

test('an invalid secret is refused when the route is opened', () => {
  assert.throws(
    () => verifier(STANDARD, ['whsec_not base64!']),
    /is not a key of Standard Webhooks/,
  );
  assert.throws(() => createVerifier(undefined, ['']), /is empty/);
});

test.run();
