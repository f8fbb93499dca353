import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorCode } from '../../../../src/engine/errors/index.js';
import { AWS_KEYS, BEDROCK_TOKEN, startBedrockFake } from '../../../fakes/bedrock.js';
import { failure } from '../../../fakes/bedrock-errors.js';
import { type FakeAnswer, type FakeVendor, startFake } from '../../../fakes/fake-vendor.js';
import { failureOf } from '../../../support/failure.js';
import { waitFor } from '../../../support/wait.js';
import { embedAll } from '../conformance.js';
import { bedrockAdapter } from './subject.js';

const test = suite('errors of the service');

const NAMED: readonly (readonly [number, string, string, ErrorCode])[] = [
  [403, 'AccessDeniedException', 'Not authorized.', 'PROVIDER_AUTH'],
  [403, 'ExpiredTokenException', 'The security token is expired.', 'PROVIDER_AUTH'],
  [403, 'MissingAuthenticationTokenException', 'Missing.', 'PROVIDER_AUTH'],
  [400, 'ServiceQuotaExceededException', 'Quota.', 'PROVIDER_QUOTA'],
  [429, 'ThrottlingException', 'Too many tokens per day, please wait.', 'PROVIDER_QUOTA'],
  [429, 'ThrottlingException', 'Too many requests.', 'PROVIDER_RATE_LIMITED'],
  [429, 'ModelNotReadyException', 'Not ready.', 'PROVIDER_OVERLOADED'],
  [424, 'ModelErrorException', 'The model failed.', 'PROVIDER_OVERLOADED'],
  [408, 'ModelTimeoutException', 'Took too long.', 'PROVIDER_TIMEOUT'],
  [500, 'InternalServerException', 'Oops.', 'PROVIDER_OVERLOADED'],
  [404, 'ResourceNotFoundException', 'Gone.', 'PROVIDER_MODEL_UNKNOWN'],
  [400, 'ValidationException', 'Something else.', 'PROVIDER_REFUSED'],
  [418, 'BrandNewException', 'Unheard of.', 'PROVIDER_REFUSED'],
];

for (const [status, name, message, code] of NAMED) {
  test(`${name}: ${message}`, async () => {
    const fake = await startFake({
      answer: () => failure(status, name, message),
      troubleAnswers: {},
    });
    const adapter = bedrockAdapter({ baseUrl: fake.origin });
    const error = await failureOf(adapter.probe());
    assert.is(error.code, code);
    assert.match(error.message, `${status} ${message} (${name})`);
    assert.is(fake.requests.length, 1, 'the SDK does not try again by itself');
    await adapter.close();
    await fake.close();
  });
}

async function failing(act: (fake: FakeVendor) => Promise<unknown>): ReturnType<typeof failureOf> {
  const fake = await startBedrockFake();
  try {
    return await failureOf(act(fake));
  } finally {
    await fake.close();
  }
}

const FROM_OTHERS: readonly (readonly [FakeAnswer, ErrorCode, message: RegExp, hint: RegExp])[] = [
  [
    { status: 407, body: '<h1>Proxy authentication</h1>' },
    'PROVIDER_REFUSED',
    /: 407 the proxy requires a user name and password$/u,
    /^put USER:PASSWORD@ /u,
  ],
  [
    { status: 503, body: '<html>Unavailable</html>' },
    'PROVIDER_OVERLOADED',
    /: 503 the answer is not JSON; a proxy may have sent it$/u,
    /^try again later/u,
  ],
  [
    { status: 502, body: { error: { message: 'No route.' } } },
    'PROVIDER_OVERLOADED',
    /: 502 No route\.$/u,
    /^try again later/u,
  ],
  [{ status: 500, body: '' }, 'PROVIDER_OVERLOADED', /: status 500$/u, /^try again later/u],
];

for (const [answer, code, message, hint] of FROM_OTHERS) {
  test(`an answer of a proxy or gateway: ${JSON.stringify(answer)}`, async () => {
    const fake = await startFake({ answer: () => answer, troubleAnswers: {} });
    const adapter = bedrockAdapter({ baseUrl: fake.origin });
    const error = await failureOf(adapter.probe());
    assert.is(error.code, code);
    assert.match(error.message, message);
    assert.match(error.hint ?? '', hint);
    await adapter.close();
    await fake.close();
  });
}

test('a wrong clock is corrected by that of the service', async () => {
  const date = new Date(Date.now() + 172_800_000);
  const day = date.toISOString().replaceAll('-', '').slice(0, 8);
  const fake = await startFake({
    answer: ({ headers }) => {
      const isNow = String(headers['x-amz-date']).startsWith(day);
      const answer = isNow
        ? { status: 200, body: { embedding: Array(1024).fill(1) } }
        : failure(403, 'InvalidSignatureException', 'Signature expired.');
      return { ...answer, headers: { ...answer.headers, date: date.toUTCString() } };
    },
    troubleAnswers: {},
  });
  const adapter = bedrockAdapter({ baseUrl: fake.origin });
  assert.is((await adapter.probe()).dimensions, 1024);
  assert.is(fake.requests.length, 2);
  await adapter.close();
  await fake.close();
});

test('a refused permission names what to allow', async () => {
  const hint = async (model: string) =>
    (
      await failing((fake) => {
        fake.trouble('forbidden');
        return bedrockAdapter({ baseUrl: fake.origin, model }).probe();
      })
    ).hint;
  assert.match(
    (await hint('amazon.titan-embed-text-v2:0')) ?? '',
    'bedrock:InvokeModel on arn:aws:bedrock:us-east-1::foundation-model/amazon.titan-embed-text-v2:0',
  );
  assert.match(
    (await hint('us.cohere.embed-v4:0')) ?? '',
    'inference-profile/us.cohere.embed-v4:0 and arn:aws:bedrock:*::foundation-model/cohere.embed-v4:0',
  );
});

test('a model that the account has not subscribed to names the subscription, not the permission', async () => {
  for (const message of [
    'Model access is denied due to IAM user or service role is not authorized to perform the required AWS Marketplace actions (aws-marketplace:ViewSubscriptions, aws-marketplace:Subscribe) to enable access to this model.',
    'Model access is denied due to INVALID_PAYMENT_INSTRUMENT:A valid payment instrument must be provided.',
  ]) {
    const answer = () => failure(403, 'AccessDeniedException', message);
    const fake = await startFake({ answer, troubleAnswers: {} });
    const adapter = bedrockAdapter({ baseUrl: fake.origin, model: 'cohere.embed-v4:0' });
    const { hint } = await failureOf(adapter.probe());
    assert.match(hint ?? '', /^subscribe the account to cohere\.embed-v4:0 once/u);
    await adapter.close();
    await fake.close();
  }
});

test('a model that answers through a profile alone names the profile', async () => {
  const model = 'twelvelabs.marengo-embed-2-7-v1:0';
  const error = await failing((fake) => bedrockAdapter({ baseUrl: fake.origin, model }).probe());
  assert.is(error.code, 'PROVIDER_MODEL_UNKNOWN');
  assert.match(error.hint ?? '', `us.${model}`);
});

test('a wrong signature does not repeat the request', async () => {
  const env = {
    ...AWS_KEYS,
    AWS_SECRET_ACCESS_KEY: 'not-the-secret',
    AWS_SESSION_TOKEN: 'session-token-0123456789',
  };
  const error = await failing((fake) => bedrockAdapter({ baseUrl: fake.origin }, env).probe());
  assert.is(error.code, 'PROVIDER_AUTH');
  assert.not.match(inspect(error, { depth: 10 }), 'session-token');
  assert.not.match(error.message, '\n');
});

test('a refused API key is named by where it comes from', async () => {
  const wrong = { AWS_BEARER_TOKEN_BEDROCK: `${BEDROCK_TOKEN}x` };
  const error = await failing((fake) =>
    bedrockAdapter({}, { ...wrong, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: fake.origin }).probe(),
  );
  assert.match(error.hint ?? '', 'env AWS_BEARER_TOKEN_BEDROCK');
  assert.not.match(`${error.message} ${error.hint}`, BEDROCK_TOKEN);
});

test('an API key with a line break is named as such', async () => {
  const wrong = { AWS_BEARER_TOKEN_BEDROCK: `${BEDROCK_TOKEN}\nx` };
  const error = await failing((fake) =>
    bedrockAdapter({}, { ...wrong, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: fake.origin }).probe(),
  );
  assert.is(error.code, 'PROVIDER_AUTH');
  assert.match(error.message, 'the key contains a line break');
});

test('a token of the environment is not sent to an address of the configuration', async () => {
  const fake = await startBedrockFake();
  const env = { AWS_BEARER_TOKEN_BEDROCK: BEDROCK_TOKEN, AWS_EC2_METADATA_DISABLED: 'true' };
  const withheld = bedrockAdapter({ baseUrl: fake.origin }, env);
  const error = await failureOf(withheld.probe());
  assert.is(error.code, 'PROVIDER_AUTH');
  assert.match(error.hint ?? '', /^AWS_BEARER_TOKEN_BEDROCK is set but withheld/);
  const signed = bedrockAdapter({ baseUrl: fake.origin }, { ...env, ...AWS_KEYS });
  await signed.probe();
  assert.equal(
    fake.requests.map(({ headers }) => headers.authorization?.split(' ', 1)[0]),
    ['AWS4-HMAC-SHA256'],
  );
  await withheld.close();
  await signed.close();
  await fake.close();
});

test('a configured key overrides the environment, and both override access keys', async () => {
  const fake = await startBedrockFake();
  const env = { ...AWS_KEYS, AWS_BEARER_TOKEN_BEDROCK: 'other' };
  const credential = { value: BEDROCK_TOKEN, source: 'models.providers.bedrock.apiKey' };
  const adapter = bedrockAdapter({ baseUrl: fake.origin, credential }, env);
  await adapter.probe();
  assert.is(fake.requests[0]?.headers.authorization, `Bearer ${BEDROCK_TOKEN}`);
  await adapter.close();
  await fake.close();
});

test('the requested delay is respected', async () => {
  let asked = '40';
  const fake = await startFake({
    answer: () => ({
      ...failure(429, 'ThrottlingException', 'Too many requests.'),
      headers: { 'x-amzn-errortype': 'ThrottlingException', 'retry-after': asked },
    }),
    troubleAnswers: {},
  });
  const adapter = bedrockAdapter({ baseUrl: fake.origin });
  const error = await failureOf(adapter.embedQuery('red'));
  assert.is(error.code, 'PROVIDER_RATE_LIMITED');
  assert.match(error.hint ?? '', 'in 40 s');
  asked = '86400';
  assert.match((await failureOf(adapter.embedQuery('red'))).hint ?? '', 'in 24 h');
  await adapter.close();
  await fake.close();
});

test('an abort ends the search for credentials too', async () => {
  const silent = await startFake({ answer: () => failure(500, 'x', 'x'), troubleAnswers: {} });
  silent.trouble('slow');
  const adapter = bedrockAdapter(
    { baseUrl: silent.origin },
    { HOME: '/nonexistent', AWS_CONTAINER_CREDENTIALS_FULL_URI: `${silent.origin}/container` },
  );
  const controller = new AbortController();
  const reason = new Error('enough');
  const run = adapter.embedQuery('red', { signal: controller.signal });
  await waitFor('the request', () => silent.requests.length > 0);
  controller.abort(reason);
  assert.is(await run.catch((error: unknown) => error), reason);
  await adapter.close();
  await silent.close();
});

test('a text that is refused as too long fails alone', async () => {
  const fake = await startFake({
    answer: (request) =>
      request.body.includes('bad')
        ? failure(400, 'ValidationException', 'Malformed input request: expected maxLength: 2048')
        : { status: 200, body: { embedding: [1, ...new Array<number>(1023).fill(0)] } },
    troubleAnswers: {},
  });
  const adapter = bedrockAdapter({ baseUrl: fake.origin });
  const { embedded, refused } = await embedAll(adapter, [{ text: 'bad' }, { text: 'good' }]);
  assert.equal(
    embedded.map(({ input }) => input.text),
    ['good'],
  );
  assert.equal(
    refused.map(({ input }) => input.text),
    ['bad'],
  );
  await adapter.close();
  await fake.close();
});

test.run();
