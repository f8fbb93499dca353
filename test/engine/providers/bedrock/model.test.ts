import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findModel } from '../../../../src/engine/providers/bedrock/models.js';
import { bareName, PROVIDERS } from '../../../../src/engine/providers/registry.js';
import { startBedrockFake } from '../../../fakes/bedrock.js';
import { failureOf } from '../../../support/failure.js';
import { bedrockAdapter } from './subject.js';

const adapterOf = async (change: Parameters<typeof bedrockAdapter>[0]) => bedrockAdapter(change);

const name = (id: string): string => bareName(PROVIDERS.bedrock, id);
const found = (id: string) => findModel(PROVIDERS.bedrock, id, undefined, 'memorySearch.model');

test('regions, throughput and ARNs do not hide the model', () => {
  for (const id of [
    'amazon.titan-embed-text-v2',
    'amazon.titan-embed-text-v2:0',
    'amazon.titan-embed-text-v2:0:8k',
    'arn:aws:bedrock:us-east-1::foundation-model/amazon.titan-embed-text-v2:0',
  ]) {
    assert.is(name(id), 'amazon.titan-embed-text-v2');
  }
  for (const region of ['us', 'eu', 'apac', 'ap', 'jp', 'au', 'ca', 'us-gov', 'global']) {
    assert.is(name(`${region}.cohere.embed-v4:0`), 'cohere.embed-v4');
  }
  const profile = 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.cohere.embed-v4:0';
  assert.is(name(profile), 'cohere.embed-v4');
  assert.is(found(profile).id, profile, 'the service is asked for what is configured');
});

test('an unknown model is addressed like others of its family', () => {
  const family = (id: string) => found(id).family;
  assert.is(family('amazon.titan-embed-text-v9:0'), family('amazon.titan-embed-text-v1'));
  assert.is(family('cohere.embed-v5:0'), family('cohere.embed-v4:0'));
  assert.is(family('cohere.embed-english-v3.5'), family('cohere.embed-english-v3'));
  assert.is(
    family('twelvelabs.marengo-embed-4-0-v1:0'),
    family('twelvelabs.marengo-embed-3-0-v1:0'),
  );
});

const OPAQUE = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3';

test('behind an ARN that says nothing, the model is named after a #', async () => {
  const error = await failureOf(adapterOf({ model: OPAQUE }));
  assert.is(error.code, 'PROVIDER_MODEL_UNKNOWN');
  assert.match(error.hint ?? '', `${OPAQUE}#cohere.embed-v4:0`);

  const fake = await startBedrockFake({ arns: { [OPAQUE]: 'cohere.embed-v4:0' } });
  const adapter = bedrockAdapter({ baseUrl: fake.origin, model: `${OPAQUE}#cohere.embed-v4:0` });
  assert.is((await adapter.embedQuery('red')).length, 1536);
  assert.is(fake.requests[0]?.path, `/model/${encodeURIComponent(OPAQUE)}/invoke`);
  await adapter.close();
  await fake.close();
});

test('a model of no known family is refused before anything is sent', async () => {
  const error = await failureOf(adapterOf({ model: 'anthropic.claude-9' }));
  assert.is(error.code, 'PROVIDER_MODEL_UNKNOWN');
  assert.match(error.message, 'anthropic.claude-9');
  const ids = (error.hint ?? '').match(/\b(?:us\.)?(?:amazon|cohere|twelvelabs)\.[^\s,]+/gu) ?? [];
  const fake = await startBedrockFake();
  try {
    assert.is(ids.length, 10);
    for (const model of ids) {
      const adapter = bedrockAdapter({ baseUrl: fake.origin, model });
      assert.ok((await adapter.probe()).dimensions > 0, model);
      await adapter.close();
    }
  } finally {
    await fake.close();
  }
});

test('unsupported dimensions are refused, and the supported ones listed', async () => {
  for (const [model, dimensions, told] of [
    ['cohere.embed-english-v3', 512, "1024, this model's only size"],
    ['jp.amazon.nova-2-multimodal-embeddings-v1:0', 512, '256, 384, 1024, 3072'],
    [`${OPAQUE}#amazon.titan-embed-text-v2:0`, 300, '256, 512, 1024'],
  ] as const) {
    const error = await failureOf(adapterOf({ model, dimensions }));
    assert.is(error.code, 'PROVIDER_REFUSED');
    assert.match(error.hint ?? '', told);
  }
});

test.run();
