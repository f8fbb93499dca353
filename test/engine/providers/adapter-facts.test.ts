import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { usualDimensions } from '../../../src/engine/embeddings/list-providers.js';
import {
  ADAPTER_IDS,
  type AdapterId,
  allowsDimensions,
  dimensionsOf,
  PROVIDERS,
} from '../../../src/engine/providers/registry.js';
import { testSettings } from './conformance.js';
import { openVendor } from './support.js';

const test = suite('what is known of adapters without loading them');

/** They ask their vendor, the environment or the disk while they are made. */
const ASK_FIRST: ReadonlySet<AdapterId> = new Set(['bedrock', 'github-copilot', 'local']);

for (const id of ADAPTER_IDS.filter((adapter) => !ASK_FIRST.has(adapter))) {
  test(`${id}: the recorded model, address and batch API are the adapter's`, async () => {
    const credential = { value: 'key', source: 'env KEY' };
    const vendor = await openVendor(testSettings({ adapter: id, credential }));
    const { model, endpoint } = PROVIDERS[id];
    assert.equal([vendor.model, vendor.endpoint], [model, endpoint]);
    assert.is(vendor.batch !== undefined, PROVIDERS[id].batch);
    await vendor.close?.();
  });
}

test('the recorded length of a default model is a possible one', () => {
  for (const id of ADAPTER_IDS) {
    const { model } = PROVIDERS[id];
    if (model === null) continue;
    const usual = usualDimensions(PROVIDERS[id], model);
    assert.ok(usual !== null, id);
    const choice = dimensionsOf(PROVIDERS[id], model);
    if (choice !== undefined) assert.ok(allowsDimensions(choice, usual), id);
  }
  assert.is(usualDimensions(PROVIDERS.openai, 'a-model-of-somebody'), null);
});

test('only the local server gets one request at a time', () => {
  const single = ADAPTER_IDS.filter((id) => PROVIDERS[id].oneAtATime === true);
  assert.equal(single, ['ollama']);
});

test.run();
