import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ADAPTER_IDS,
  type AdapterId,
  allowsDimensions,
  dimensionsOf,
} from '../../../src/engine/config/index.js';
import { ADAPTER_FACTS, usualDimensions } from '../../../src/engine/embeddings/adapter-facts.js';
import { VENDOR_FACTORIES } from '../../../src/engine/embeddings/registry.js';
import { testSettings } from './conformance.js';

const test = suite('what is known of adapters without loading them');

/** They ask their vendor, the environment or the disk while they are made. */
const ASK_FIRST: ReadonlySet<AdapterId> = new Set(['bedrock', 'github-copilot', 'local']);

for (const id of ADAPTER_IDS.filter((adapter) => !ASK_FIRST.has(adapter))) {
  test(`${id}: its own model, address and batch API are the ones that are told`, async () => {
    const load = VENDOR_FACTORIES[id];
    assert.ok(load);
    const create = await load();
    const credential = { value: 'key', source: 'env KEY' };
    const tools = { stateDir: '/nonexistent', env: {}, clock: { now: () => 0 } };
    const settings = testSettings({ adapter: id, credential });
    const vendor = await create(settings, tools, new AbortController().signal);
    const { model, endpoint, batch } = ADAPTER_FACTS[id];
    assert.equal([vendor.model, vendor.endpoint], [model, endpoint]);
    assert.is(vendor.batch !== undefined, batch);
    await vendor.close?.();
  });
}

test('the usual length of a default model is one that it can have', () => {
  for (const id of ADAPTER_IDS) {
    const { model } = ADAPTER_FACTS[id];
    if (model === null) continue;
    const usual = usualDimensions(id, model);
    assert.ok(usual !== null, id);
    const choice = dimensionsOf(id, model);
    if (choice !== undefined) assert.ok(allowsDimensions(choice, usual), id);
  }
  assert.is(usualDimensions('openai', 'a-model-of-somebody'), null);
});

test.run();
