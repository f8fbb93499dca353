import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdapterSettings } from '../../../src/engine/embeddings/embedding-adapter.js';
import type { FakeVendor } from '../../fakes/fake-vendor.js';
import { MISTRAL_KEY, startMistralFake } from '../../fakes/mistral.js';
import { failureOf } from '../../support/failure.js';
import { conformanceSuite, embedAll, testSettings } from './conformance.js';
import { bodiesOf, openAdapter, openVendor, withFake } from './support.js';

const settingsFor = (fake: FakeVendor, change: Partial<AdapterSettings> = {}): AdapterSettings =>
  testSettings({
    adapter: 'mistral',
    baseUrl: `${fake.origin}/v1`,
    credential: { value: MISTRAL_KEY, source: 'env MISTRAL_API_KEY' },
    ...change,
  });

conformanceSuite({
  name: 'mistral',
  startFake: () => startMistralFake({ dimensions: 256 }),
  settings: settingsFor,
  createVendor: openVendor,
  secret: MISTRAL_KEY,
  dimensions: 256,
});

const test = suite('mistral');

test('the text model is not asked for a length, nor for input types, which it refuses', () =>
  withFake(startMistralFake(), async (fake) => {
    const settings = settingsFor(fake, { dimensions: 1024, inputTypes: { query: 'query' } });
    const adapter = await openAdapter(settings);
    assert.is((await adapter.embedQuery('one')).length, 1024);
    assert.equal(bodiesOf(fake), [
      { model: 'mistral-embed', input: ['one'], encoding_format: 'base64' },
    ]);
    assert.is(adapter.identity.dimensions, null);
  }));

test('the code model gives the length that is configured', () =>
  withFake(startMistralFake(), async (fake) => {
    const settings = settingsFor(fake, { model: 'codestral-embed', dimensions: 512 });
    const adapter = await openAdapter(settings);
    const { embedded } = await embedAll(adapter, [{ text: 'let x = 1' }]);
    assert.is(embedded[0]?.vector.length, 512);
    assert.is(bodiesOf(fake)[0]?.['output_dimension'], 512);
    assert.is(adapter.identity.dimensions, 512);
  }));

test('a key that is refused is named by where it came from, in Mistral’s words', () =>
  withFake(startMistralFake(), async (fake) => {
    const settings = settingsFor(fake, { credential: { value: 'no', source: 'remote.apiKey' } });
    const error = await failureOf((await openAdapter(settings)).probe());
    assert.is(error.code, 'PROVIDER_AUTH');
    assert.match(error.message, '401 Unauthorized');
    assert.match(error.hint ?? '', 'remote.apiKey');
  }));

test.run();
