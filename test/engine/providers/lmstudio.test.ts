import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdapterSettings } from '../../../src/engine/embeddings/embedding-adapter.js';
import type { FakeVendor } from '../../fakes/fake-vendor.js';
import { LMSTUDIO_KEY, startLmStudioFake } from '../../fakes/lmstudio.js';
import { failureOf } from '../../support/failure.js';
import { conformanceSuite, embedAll, testSettings } from './conformance.js';
import { bodiesOf, openAdapter, openVendor, withFake } from './support.js';

const settingsFor = (fake: FakeVendor, change: Partial<AdapterSettings> = {}): AdapterSettings =>
  testSettings({ adapter: 'lmstudio', baseUrl: `${fake.origin}/v1`, ...change });

const adapterFor = (fake: FakeVendor, change: Partial<AdapterSettings> = {}) => {
  const settings = settingsFor(fake, change);
  return openAdapter(settings);
};

const LOCAL = 'it runs on one’s own machine';

conformanceSuite({
  name: 'lmstudio',
  startFake: () => startLmStudioFake({ dimensions: 256, locked: true }),
  settings: (fake) =>
    settingsFor(fake, { credential: { value: LMSTUDIO_KEY, source: 'env LM_API_TOKEN' } }),
  createVendor: openVendor,
  secret: LMSTUDIO_KEY,
  dimensions: 256,
  impossible: { quota_spent: LOCAL, rate_limited: LOCAL, rate_limited_without_wait: LOCAL },
});

const test = suite('lmstudio');

test('without a key none is sent, only the model and the texts with their prompts', () =>
  withFake(startLmStudioFake({ dimensions: 64 }), async (fake) => {
    const adapter = await adapterFor(fake, { dimensions: 256, inputTypes: { query: 'query' } });
    await adapter.embedQuery('one');
    await embedAll(adapter, [{ text: 'two' }]);
    const other = 'text-embedding-bge-m3';
    await (await adapterFor(fake, { model: other })).embedQuery('three');
    const model = 'text-embedding-nomic-embed-text-v1.5';
    assert.equal(bodiesOf(fake), [
      { model, input: ['search_query: one'] },
      { model, input: ['search_document: two'] },
      { model: other, input: ['three'] },
    ]);
    assert.is(fake.requests[0]?.headers.authorization, undefined);
    assert.is(adapter.identity.dimensions, null);
  }));

test('no model loaded and no loading on demand: shows how to load one', () =>
  withFake(startLmStudioFake({ unloaded: true }), async (fake) => {
    const error = await failureOf((await adapterFor(fake)).probe());
    assert.is(error.code, 'PROVIDER_MODEL_UNKNOWN');
    assert.match(error.message, 'No models loaded');
    assert.match(error.hint ?? '', 'lms load text-embedding-nomic-embed-text-v1.5');
  }));

test('a model that has crashed is loaded by the next request', () =>
  withFake(startLmStudioFake({ crashes: 1 }), async (fake) => {
    const { embedded } = await embedAll(await adapterFor(fake), [{ text: 'one' }]);
    assert.is(embedded.length, 1);
    assert.is(fake.requests.length, 2);
  }));

test('an address without /v1, which is answered with status 200, says so', () =>
  withFake(startLmStudioFake(), async (fake) => {
    const error = await failureOf((await adapterFor(fake, { baseUrl: fake.origin })).probe());
    assert.is(error.code, 'PROVIDER_ANSWER_INVALID');
    assert.match(error.message, 'Unexpected endpoint');
  }));

test('no server: shows how to start it', async () => {
  const fake = await startLmStudioFake();
  const adapter = await adapterFor(fake);
  await fake.close();
  const error = await failureOf(adapter.probe());
  assert.is(error.code, 'PROVIDER_UNREACHABLE');
  assert.match(error.hint ?? '', 'lms server start');
});

test.run();
