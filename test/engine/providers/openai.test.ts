import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OPENAI_KEY, startOpenAiFake } from '../../fakes/openai.js';
import { failureOf } from '../../support/failure.js';
import { conformanceSuite, embedAll, testSettings } from './conformance.js';
import { openAdapter, openVendor } from './support.js';

const test = suite('OpenAI and compatible servers');

/** By OpenAI, vLLM, llama.cpp, in their older and newer releases, and others. */
const TOO_LONG = [
  [400, "This model's maximum context length is 512 tokens, however you requested 600 tokens."],
  [400, "Invalid 'input[1]': maximum input length is 512 tokens."],
  [400, 'The decoder prompt (length 600) is longer than the maximum model length of 512.'],
  [500, 'input is too large to process. increase the physical batch size'],
  [500, 'input (600 tokens) is too large to process. increase the physical batch size (current …)'],
  [500, 'input is larger than the max context size. skipping'],
  [400, 'request (600 tokens) exceeds the available context size (512 tokens), try increasing it'],
  [400, 'the input length exceeds the context length'],
  [400, 'input length exceeds maximum context length'],
  [422, 'Input validation error: `inputs` must have less than 512 tokens. Given: 600'],
  [400, 'Input length 600 exceeds maximum allowed token size 512'],
] as const;

test('a text that is too long for the model of a server is split', async () => {
  const fake = await startOpenAiFake({ dimensions: 8 });
  const adapter = await openAdapter(
    testSettings({
      adapter: 'openai',
      baseUrl: `${fake.origin}/v1`,
      credential: { value: OPENAI_KEY, source: 'env OPENAI_API_KEY' },
    }),
  );
  for (const [status, message] of TOO_LONG) {
    const body = { error: { code: status, message, type: 'server_error' } };
    fake.refuse((text) => text.length > 1500, { status, body });
    const before = fake.requests.length;
    const { embedded, refused } = await embedAll(adapter, [
      { text: 'short' },
      { text: 'f3'.repeat(1200) },
    ]);
    assert.equal(refused, [], message);
    assert.is(embedded.length, 2, message);
    assert.is(fake.requests.length - before, 5, 'all, each alone, and the halves of the long one');
  }
  await adapter.close();
  await fake.close();
});

test('a model that the project of the key has no access to is reported as such', async () => {
  const fake = await startOpenAiFake({ dimensions: 8 });
  const credential = { value: OPENAI_KEY, source: 'env OPENAI_API_KEY' };
  const baseUrl = `${fake.origin}/v1`;
  const adapter = await openAdapter(testSettings({ adapter: 'openai', baseUrl, credential }));
  const message = 'Project `proj_1` does not have access to model `text-embedding-3-small`';
  const error = { message, type: 'invalid_request_error', param: null, code: 'model_not_found' };
  fake.refuse(() => true, { status: 403, body: { error } });
  const { code, hint } = await failureOf(adapter.embedQuery('anything'));
  assert.is(code, 'PROVIDER_MODEL_UNKNOWN');
  assert.match(hint ?? '', /^check memorySearch\.model \(text-embedding-3-small\)/);
  await adapter.close();
  await fake.close();
});

test.run();

conformanceSuite({
  name: 'openai',
  startFake: () => startOpenAiFake({ dimensions: 256 }),
  settings: (fake) =>
    testSettings({
      adapter: 'openai',
      baseUrl: `${fake.origin}/v1`,
      credential: { value: OPENAI_KEY, source: 'env OPENAI_API_KEY' },
    }),
  createVendor: openVendor,
  secret: OPENAI_KEY,
  dimensions: 256,
});
