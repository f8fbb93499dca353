import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdapterSettings } from '../../../src/engine/embeddings/embedding-adapter.js';
import { DEEPINFRA_KEY, startDeepInfraFake } from '../../fakes/deepinfra.js';
import type { FakeVendor } from '../../fakes/fake-vendor.js';
import { conformanceSuite, embedAll, testSettings } from './conformance.js';
import { bodiesOf, openAdapter, openVendor, withFake } from './support.js';

const settingsFor = (fake: FakeVendor, change: Partial<AdapterSettings> = {}): AdapterSettings =>
  testSettings({
    adapter: 'deepinfra',
    baseUrl: `${fake.origin}/v1/openai`,
    credential: { value: DEEPINFRA_KEY, source: 'env DEEPINFRA_API_KEY' },
    ...change,
  });

conformanceSuite({
  name: 'deepinfra',
  startFake: () => startDeepInfraFake({ dimensions: 256 }),
  settings: settingsFor,
  createVendor: openVendor,
  secret: DEEPINFRA_KEY,
  dimensions: 256,
});

const test = suite('deepinfra');

/** The label that one question and one document were sent with, and the documents' identity. */
async function labelsWith(inputTypes: AdapterSettings['inputTypes']): Promise<unknown> {
  return withFake(startDeepInfraFake({ dimensions: 64 }), async (fake) => {
    const settings = settingsFor(fake, { inputTypes });
    const adapter = await openAdapter(settings);
    await adapter.embedQuery('one');
    await embedAll(adapter, [{ text: 'two' }]);
    const labels = bodiesOf(fake).map((body) => body['input_type']);
    return [...labels, adapter.identity.documentForm];
  });
}

test('input types go out only when they are configured', async () => {
  assert.equal(await labelsWith({}), [undefined, undefined, '']);
  assert.equal(await labelsWith({ query: 'query', document: 'passage' }), [
    'query',
    'passage',
    'passage',
  ]);
});

test('other vendors’ names of input types are translated to DeepInfra’s', async () => {
  assert.equal(await labelsWith({ query: 'search_query', document: 'RETRIEVAL_DOCUMENT' }), [
    'query',
    'document',
    'document',
  ]);
});

test('a length is asked for up to that of the model, beyond which there are only zeros', () =>
  withFake(startDeepInfraFake(), async (fake) => {
    for (const [dimensions, asked] of [
      [256, 256],
      [2048, undefined],
    ] as const) {
      const settings = settingsFor(fake, { dimensions });
      const vector = await (await openAdapter(settings)).embedQuery('one');
      assert.is(bodiesOf(fake).at(-1)?.['dimensions'], asked);
      assert.is(vector.length, asked ?? 1024);
    }
  }));

test('a model of 512 tokens gets a long text in pieces', () =>
  withFake(startDeepInfraFake({ dimensions: 64 }), async (fake) => {
    const settings = settingsFor(fake, { model: 'BAAI/bge-large-en-v1.5' });
    const adapter = await openAdapter(settings);
    const { embedded } = await embedAll(adapter, [{ text: 'some words '.repeat(1000) }]);
    assert.is(embedded.length, 1);
  }));

test.run();
