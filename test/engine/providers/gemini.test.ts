import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdapterSettings } from '../../../src/engine/embeddings/embedding-adapter.js';
import { explainGemini } from '../../../src/engine/providers/gemini/connection.js';
import { GEMINI_KEY, type GeminiFake, startGeminiFake } from '../../fakes/gemini.js';
import { failureOf } from '../../support/failure.js';
import { conformanceSuite, embedAll, testSettings } from './conformance.js';
import { openAdapter, openVendor } from './support.js';

const settingsOf = (fake: { origin: string }, change: Partial<AdapterSettings> = {}) =>
  testSettings({
    adapter: 'gemini',
    baseUrl: `${fake.origin}/v1beta`,
    credential: { value: GEMINI_KEY, source: 'env GEMINI_API_KEY' },
    ...change,
  });

for (const model of ['gemini-embedding-001', 'gemini-embedding-2']) {
  conformanceSuite({
    name: model,
    startFake: () => startGeminiFake({ dimensions: 256 }),
    settings: (fake) => settingsOf(fake, { model }),
    createVendor: openVendor,
    secret: GEMINI_KEY,
    dimensions: 256,
  });
}

const test = suite<{ fake: GeminiFake }>('gemini');

test.before.each(async (context) => {
  context.fake = await startGeminiFake({ dimensions: 128 });
});
test.after.each(({ fake }) => fake.close());

const adapterOn = (fake: GeminiFake, change: Partial<AdapterSettings> = {}) =>
  openAdapter(settingsOf(fake, change));

const sentTo = (fake: GeminiFake): unknown =>
  JSON.parse(fake.requests.at(-1)?.body.toString('utf8') ?? '');

test('the older model gets the purpose of a text in fields', async ({ fake }) => {
  const adapter = await adapterOn(fake, { model: 'gemini-embedding-001', dimensions: 768 });
  await embedAll(adapter, [{ text: 'body', title: 'Head' }, { text: 'alone' }]);
  const model = 'models/gemini-embedding-001';
  const [taskType, outputDimensionality] = ['RETRIEVAL_DOCUMENT', 768];
  assert.equal(sentTo(fake), {
    requests: [
      {
        model,
        content: { parts: [{ text: 'body' }] },
        taskType,
        title: 'Head',
        outputDimensionality,
      },
      { model, content: { parts: [{ text: 'alone' }] }, taskType, outputDimensionality },
    ],
  });
  await adapter.embedQuery('why');
  assert.match(JSON.stringify(sentTo(fake)), '"taskType":"RETRIEVAL_QUERY"');
});

test('the newer model gets it in the text', async ({ fake }) => {
  const adapter = await adapterOn(fake, { model: 'gemini-embedding-2' });
  await embedAll(adapter, [{ text: 'body', title: 'Head' }, { text: 'alone' }]);
  const model = 'models/gemini-embedding-2';
  assert.equal(sentTo(fake), {
    requests: [
      { model, content: { parts: [{ text: 'title: Head | text: body' }] } },
      { model, content: { parts: [{ text: 'title: none | text: alone' }] } },
    ],
  });
  await adapter.embedQuery('why');
  assert.match(JSON.stringify(sentTo(fake)), 'task: search result | query: why');
});

test('the two forms make vectors of different identities', async ({ fake }) => {
  const formOf = async (model: string) => (await adapterOn(fake, { model })).identity.documentForm;
  assert.is.not(await formOf('gemini-embedding-001'), await formOf('gemini-embedding-2'));
});

test('the address of the OpenAI-compatible endpoint is accepted as well', async ({ fake }) => {
  const adapter = await adapterOn(fake, { baseUrl: `${fake.origin}/v1beta/openai` });
  assert.is((await adapter.probe()).dimensions, 128);
  assert.is(adapter.identity.endpoint, `${fake.origin}/v1beta`);
});

test("a spent daily quota is final, with Google's midnight in the hint", async ({ fake }) => {
  fake.trouble('quota_spent');
  const error = await failureOf(embedAll(await adapterOn(fake), [{ text: 'one' }]));
  assert.is(error.code, 'PROVIDER_QUOTA');
  assert.match(error.hint ?? '', 'midnight Pacific');
  assert.is(fake.requests.length, 1);
});

test('a free key, for which each text counts, slows a run down instead of failing it', async () => {
  const fake = await startGeminiFake({
    dimensions: 128,
    freeTier: { texts: 100, windowMs: 250 },
  });
  const adapter = await adapterOn(fake, { concurrency: 4 });
  const inputs = Array.from({ length: 350 }, (_, n) => ({ text: `note ${n}` }));
  const { embedded, refused } = await embedAll(adapter, inputs);
  assert.equal([embedded.length, refused.length], [350, 0]);
  await fake.close();
});

test('the delay that Google asks for is respected', async ({ fake }) => {
  const waits: number[] = [];
  fake.trouble('rate_limited', 1);
  await embedAll(await adapterOn(fake), [{ text: 'one' }], {
    onEvent: (event) => {
      if (event.type === 'rate.limited') waits.push(event.waitMs);
    },
  });
  assert.equal(waits, [100]);
});

test('faults are distinguished by their body', () => {
  const explain = (status: number, message: string, details: readonly unknown[] = []) =>
    explainGemini({ status, body: { error: { message, details } }, headers: {} });
  assert.is(explain(429, 'Please retry in 33.4s.').waitMs, 33_400);
  assert.equal(explain(429, 'Please retry in 0s.'), {}, 'not without a pause');
  assert.is(explain(429, 'Quota exceeded, limit: 0, model: x').kind, 'quota');
  assert.equal(explain(429, 'Resource has been exhausted'), {});
  for (const spent of [
    'Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.',
    'Your billing account has exceeded its monthly spending cap',
  ]) {
    assert.is(explain(429, spent).kind, 'quota');
  }
  const tooMany = 'BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch';
  assert.is(explain(400, tooMany).kind, 'too_large');
  assert.is(explain(400, 'requests[3].content: contents is required').kind, 'input');
  const long = 'The input token count (9000) exceeds the maximum number of tokens allowed (2048).';
  assert.is(explain(400, long).kind, 'too_large');
  assert.is(explain(400, 'bad', [{ reason: 'API_KEY_INVALID' }]).kind, 'auth');
});

test('without a key the error says where to set one', async ({ fake }) => {
  const error = await failureOf((await adapterOn(fake, { credential: undefined })).probe());
  assert.is(error.code, 'PROVIDER_AUTH');
  assert.match(error.hint ?? '', 'set a key');
});

test.run();
