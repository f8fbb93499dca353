import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdapterSettings } from '../../../src/engine/embeddings/embedding-adapter.js';
import type { FakeVendor } from '../../fakes/fake-vendor.js';
import { startVoyageFake, VOYAGE_KEY } from '../../fakes/voyage.js';
import { failureOf } from '../../support/failure.js';
import { conformanceSuite, embedAll, testSettings } from './conformance.js';
import { bodiesOf, openAdapter, openVendor, withFake } from './support.js';

const KEY = { value: VOYAGE_KEY, source: 'env VOYAGE_API_KEY' };

const settingsFor = (fake: FakeVendor, change: Partial<AdapterSettings> = {}): AdapterSettings =>
  testSettings({ adapter: 'voyage', baseUrl: `${fake.origin}/v1`, credential: KEY, ...change });

conformanceSuite({
  name: 'voyage',
  startFake: () => startVoyageFake({ dimensions: 256 }),
  settings: settingsFor,
  createVendor: openVendor,
  secret: VOYAGE_KEY,
  dimensions: 256,
  impossible: { quota_spent: 'Voyage documents no answer for it' },
});

const test = suite('voyage');

const vendorWith = (change: Partial<AdapterSettings>) =>
  openVendor(testSettings({ adapter: 'voyage', credential: KEY, ...change }));

test('keys of MongoDB Atlas go to its own address, unless one is configured', async () => {
  const credential = { value: 'al-0123456789', source: 'env VOYAGE_API_KEY' };
  assert.is((await vendorWith({})).endpoint, 'https://api.voyageai.com/v1');
  assert.is((await vendorWith({ credential })).endpoint, 'https://ai.mongodb.com/v1');
  assert.is((await vendorWith({ credential, baseUrl: 'http://x/v1' })).endpoint, 'http://x/v1');
});

test('questions and documents carry Voyage’s labels, whatever input types are configured', () =>
  withFake(startVoyageFake(), async (fake) => {
    const settings = settingsFor(fake, {
      dimensions: 512,
      inputTypes: { query: 'search_query', document: 'passage' },
    });
    const adapter = await openAdapter(settings);
    await adapter.embedQuery('one');
    await embedAll(adapter, [{ text: 'two', title: 'Two' }]);
    const common = {
      model: 'voyage-4-large',
      truncation: false,
      encoding_format: 'base64',
      output_dimension: 512,
    };
    assert.equal(bodiesOf(fake), [
      { ...common, input: ['one'], input_type: 'query' },
      { ...common, input: ['Two\n\ntwo'], input_type: 'document' },
    ]);
    assert.is(adapter.identity.documentForm, 'document');
    assert.is(adapter.identity.dimensions, 512);
  }));

test('a length that the model does not have is not asked for', () =>
  withFake(startVoyageFake({ dimensions: 256 }), async (fake) => {
    const settings = settingsFor(fake, { dimensions: 300 });
    const adapter = await openAdapter(settings);
    assert.is((await adapter.embedQuery('one')).length, 256);
    assert.is(adapter.identity.dimensions, null);
  }));

test('an account without a payment method is served, slowly, in small requests', () =>
  withFake(startVoyageFake({ dimensions: 64, unpaidTokens: 10_000 }), async (fake) => {
    const settings = settingsFor(fake);
    const adapter = await openAdapter(settings);
    const inputs = Array.from({ length: 40 }, (_, i) => ({ text: `${i} ${'word '.repeat(500)}` }));
    const { embedded, refused } = await embedAll(adapter, inputs);
    assert.is(embedded.length, 40);
    assert.equal(refused, []);
  }));

test('the limit of such an account ends a question at once, with what lifts it', () =>
  withFake(startVoyageFake({ unpaidTokens: 0 }), async (fake) => {
    const settings = settingsFor(fake);
    const adapter = await openAdapter(settings);
    const error = await failureOf(adapter.embedQuery('one'));
    assert.is(error.code, 'PROVIDER_RATE_LIMITED');
    assert.match(error.hint ?? '', 'add a payment method');
    assert.is(fake.requests.length, 1);
  }));

test('its own labels are sent as configured, and those that it has not are not', async () => {
  const fake = await startVoyageFake();
  try {
    const inputTypes = { query: 'document', document: 'search_document' };
    const settings = testSettings({ adapter: 'voyage', baseUrl: `${fake.origin}/v1`, inputTypes });
    const adapter = await openAdapter(settings);
    await adapter.embedQuery('heron').catch(() => undefined);
    await embedAll(adapter, [{ text: 'heron' }]).catch(() => undefined);
    const sent = fake.requests.map(({ body }) => JSON.parse(body.toString('utf8')).input_type);
    assert.equal(sent, ['document', 'document']);
  } finally {
    await fake.close();
  }
});

test.run();
