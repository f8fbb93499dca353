import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdapterSettings } from '../../../src/engine/embeddings/embedding-adapter.js';
import { ollama } from '../../../src/engine/providers/ollama.js';
import { type FakeVendor, startFake } from '../../fakes/fake-vendor.js';
import { OLLAMA_KEY, startOllamaFake } from '../../fakes/ollama.js';
import { failureOf } from '../../support/failure.js';
import { conformanceSuite, embedAll, testSettings } from './conformance.js';
import { bodiesOf, openAdapter, openVendor, withFake } from './support.js';

const KEY = { value: OLLAMA_KEY, source: 'remote.apiKey' };

const settingsFor = (fake: FakeVendor, change: Partial<AdapterSettings> = {}): AdapterSettings =>
  testSettings({ adapter: 'ollama', baseUrl: fake.origin, concurrency: 1, ...change });

const adapterFor = (fake: FakeVendor, change: Partial<AdapterSettings> = {}) => {
  const settings = settingsFor(fake, change);
  return openAdapter(settings);
};

conformanceSuite({
  name: 'ollama',
  startFake: () => startOllamaFake({ dimensions: 256, locked: true }),
  settings: (fake) => settingsFor(fake, { credential: KEY }),
  createVendor: openVendor,
  secret: OLLAMA_KEY,
  dimensions: 256,
  impossible: { quota_spent: 'there is nothing to pay; ollama.com says it with a rate limit' },
});

const test = suite('ollama');

test('questions and documents are sent with the words the model was trained with', () =>
  withFake(startOllamaFake(), async (fake) => {
    const adapter = await adapterFor(fake);
    await adapter.embedQuery('one');
    await embedAll(adapter, [{ text: 'two', title: 'Two' }]);
    const common = { model: 'nomic-embed-text', truncate: false };
    assert.equal(bodiesOf(fake), [
      { ...common, input: ['search_query: one'] },
      { ...common, input: ['search_document: Two\n\ntwo'] },
    ]);
    assert.is(adapter.identity.documentForm, 'search_document: ');
  }));

test('a length up to the model’s own is asked for, and given', () =>
  withFake(startOllamaFake(), async (fake) => {
    assert.is((await (await adapterFor(fake, { dimensions: 256 })).embedQuery('one')).length, 256);
    assert.is(bodiesOf(fake)[0]?.['dimensions'], 256);
    assert.is((await (await adapterFor(fake, { dimensions: 1024 })).embedQuery('one')).length, 768);
  }));

test('a length that an unknown model does not give is an error that says what to set', () =>
  withFake(startOllamaFake(), async (fake) => {
    const adapter = await adapterFor(fake, { model: 'an-unknown-one', dimensions: 500 });
    const error = await failureOf(adapter.embedQuery('one'));
    assert.is(error.code, 'PROVIDER_ANSWER_INVALID');
    assert.match(error.hint ?? '', 'outputDimensionality to 384');
  }));

test('the address may end in /v1, which belongs to another API', () =>
  withFake(startOllamaFake(), async (fake) => {
    const adapter = await adapterFor(fake, { baseUrl: `${fake.origin}/v1` });
    await adapter.probe();
    assert.is(fake.requests[0]?.path, '/api/embed');
    assert.is(adapter.identity.endpoint, fake.origin);
  }));

test('a missing model: shows how to pull it', () =>
  withFake(startOllamaFake(), async (fake) => {
    const error = await failureOf((await adapterFor(fake, { model: 'bge-m3' })).probe());
    assert.is(error.code, 'PROVIDER_MODEL_UNKNOWN');
    assert.match(error.hint ?? '', 'ollama pull bge-m3');
  }));

test('an address without Ollama is not taken for a missing model', () =>
  withFake(startOllamaFake(), async (fake) => {
    const error = await failureOf(
      (await adapterFor(fake, { baseUrl: `${fake.origin}/other` })).probe(),
    );
    assert.is(error.code, 'PROVIDER_REFUSED');
    assert.match(error.hint ?? '', 'baseUrl');
  }));

test('an hourly limit is not waited for', async () => {
  const words = "you've reached your hourly usage limit, please upgrade to continue";
  const fake = await startFake({
    answer: () => ({ status: 429, body: { error: words } }),
    troubleAnswers: {},
  });
  try {
    const error = await failureOf((await adapterFor(fake)).embedQuery('heron'));
    assert.is(error.code, 'PROVIDER_QUOTA');
    assert.is(fake.requests.length, 1);
  } finally {
    await fake.close();
  }
});

test('an answer without a message: its status, once', async () => {
  const fake = await startFake({ answer: () => ({ status: 404, body: {} }), troubleAnswers: {} });
  try {
    const error = await failureOf((await adapterFor(fake)).probe());
    assert.is(error.message, 'embedding provider ollama: status 404');
  } finally {
    await fake.close();
  }
});

test('no server: shows how to start it', async () => {
  const fake = await startOllamaFake();
  const adapter = await adapterFor(fake);
  await fake.close();
  const error = await failureOf(adapter.probe());
  assert.is(error.code, 'PROVIDER_UNREACHABLE');
  assert.match(error.hint ?? '', 'ollama serve');
  assert.match(error.hint ?? '', 'set remote.baseUrl');
});

test('texts longer than a model takes are embedded in pieces, also where its limit is unknown', () =>
  withFake(startOllamaFake({ dimensions: 64 }), async (fake) => {
    for (const model of ['all-minilm', 'mxbai-embed-large', 'an-unknown-one']) {
      const adapter = await adapterFor(fake, { model });
      const { embedded, refused } = await embedAll(adapter, [
        { text: 'some words of a long note '.repeat(200) },
        { text: 'short' },
      ]);
      assert.equal(refused, [], model);
      assert.is(embedded.length, 2, model);
      assert.is((await adapter.embedQuery('words of a question '.repeat(100))).length, 64);
    }
  }));

test('a text on which the model fails is refused, the others are embedded', () =>
  withFake(startOllamaFake({ dimensions: 64 }), async (fake) => {
    const texts = ['one', 'this makes the model fail', 'three'];
    const { embedded, refused } = await embedAll(
      await adapterFor(fake),
      texts.map((text) => ({ text })),
    );
    assert.is(embedded.length, 2);
    assert.equal(
      refused.map(({ input }) => input.text),
      ['this makes the model fail'],
    );
  }));

test('a model that fails on every text ends a run at once', () =>
  withFake(
    startFake({
      answer: () => ({
        status: 500,
        body: { error: 'failed to encode response: json: unsupported value: NaN' },
      }),
      troubleAnswers: {},
    }),
    async (fake) => {
      const texts = Array.from({ length: 20 }, (_, at) => ({ text: `note ${at}` }));
      const error = await failureOf(embedAll(await adapterFor(fake), texts));
      assert.match(error.message, 'unsupported value: NaN');
      assert.is(fake.requests.length, 2, 'the texts, and one that every model embeds');
    },
  ));

test('a text with more tokens than the batch of a model, on which it crashes, is divided', () =>
  withFake(startOllamaFake({ dimensions: 64, batch: 400 }), async (fake) => {
    const texts = [{ text: '0 1 2 3 4 5 6 7 8 9 '.repeat(100) }, { text: 'short' }];
    const { embedded, refused } = await embedAll(await adapterFor(fake), texts);
    assert.equal([embedded.length, refused.length], [2, 0]);
  }));

test('a configured key is sent', () =>
  withFake(startOllamaFake(), async (fake) => {
    await (await adapterFor(fake)).probe();
    await (await adapterFor(fake, { credential: KEY })).probe();
    assert.equal(
      fake.requests.map(({ headers }) => headers.authorization),
      [undefined, `Bearer ${OLLAMA_KEY}`],
    );
  }));

const HOSTS: Readonly<Record<string, string | undefined>> = {
  '': undefined,
  ' ': undefined,
  localhost: 'http://localhost:11434',
  '127.0.0.1:8080': 'http://127.0.0.1:8080',
  '0.0.0.0': 'http://127.0.0.1:11434',
  '0.0.0.0:1234': 'http://127.0.0.1:1234',
  ':11435': 'http://127.0.0.1:11435',
  '::': 'http://[::1]:11434',
  '[::]:8080': 'http://[::1]:8080',
  'fd00::7': 'http://[fd00::7]:11434',
  'http://gpu.lan': 'http://gpu.lan',
  'https://gpu.lan': 'https://gpu.lan',
  'https://gpu.lan:8443/ollama/': 'https://gpu.lan:8443/ollama',
  'gpu.lan/ollama': 'http://gpu.lan:11434/ollama',
  '"gpu.lan"': 'http://gpu.lan:11434',
  'ollama.com': 'https://ollama.com',
  'ftp://gpu.lan': undefined,
  'no such host': undefined,
};

for (const [host, url] of Object.entries(HOSTS)) {
  test(`OLLAMA_HOST=${host} is ${url}`, () => {
    assert.is(ollama.endpointIn?.({ OLLAMA_HOST: host }), url);
  });
}

test.run();
