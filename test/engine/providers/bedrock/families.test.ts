import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startBedrockFake } from '../../../fakes/bedrock.js';
import type { FakeVendor } from '../../../fakes/fake-vendor.js';
import { failureOf } from '../../../support/failure.js';
import { embedAll } from '../conformance.js';
import { bedrockAdapter } from './subject.js';

const test = suite<{ fake: FakeVendor }>('request formats of model families');

test.before.each(async (context) => {
  context.fake = await startBedrockFake();
});
test.after.each(({ fake }) => fake.close());

function lastBody(fake: FakeVendor): unknown {
  return JSON.parse(fake.requests.at(-1)?.body.toString('utf8') ?? '');
}

const V4 = { embedding_types: ['float'], truncate: 'RIGHT' } as const;
const nova = (embeddingPurpose: string, embeddingDimension: number, value: string) => ({
  taskType: 'SINGLE_EMBEDDING',
  singleEmbeddingParams: {
    embeddingPurpose,
    embeddingDimension,
    text: { truncationMode: 'END', value },
  },
});

/** Model, configured dimensions, length of the vectors, body of a document, body of a question. */
const FAMILIES = [
  [
    'amazon.titan-embed-text-v2:0',
    undefined,
    1024,
    { inputText: 'red', dimensions: 1024, normalize: true },
    { inputText: 'blue', dimensions: 1024, normalize: true },
  ],
  [
    'amazon.titan-embed-text-v2:0',
    512,
    512,
    { inputText: 'red', dimensions: 512, normalize: true },
    { inputText: 'blue', dimensions: 512, normalize: true },
  ],
  ['amazon.titan-embed-text-v1', undefined, 1536, { inputText: 'red' }, { inputText: 'blue' }],
  ['amazon.titan-embed-g1-text-02', 1536, 1536, { inputText: 'red' }, { inputText: 'blue' }],
  ['amazon.titan-embed-image-v1', undefined, 1024, { inputText: 'red' }, { inputText: 'blue' }],
  [
    'amazon.nova-2-multimodal-embeddings-v1:0',
    undefined,
    1024,
    nova('GENERIC_INDEX', 1024, 'red'),
    nova('TEXT_RETRIEVAL', 1024, 'blue'),
  ],
  [
    'amazon.nova-2-multimodal-embeddings-v1:0',
    384,
    384,
    nova('GENERIC_INDEX', 384, 'red'),
    nova('TEXT_RETRIEVAL', 384, 'blue'),
  ],
  [
    'cohere.embed-english-v3',
    undefined,
    1024,
    { texts: ['red'], input_type: 'search_document', truncate: 'END' },
    { texts: ['blue'], input_type: 'search_query', truncate: 'END' },
  ],
  [
    'us.cohere.embed-v4:0',
    undefined,
    1536,
    { texts: ['red'], input_type: 'search_document', output_dimension: 1536, ...V4 },
    { texts: ['blue'], input_type: 'search_query', output_dimension: 1536, ...V4 },
  ],
  [
    // A length between those that the service has is cut from the next larger one.
    'cohere.embed-v4:0',
    600,
    600,
    { texts: ['red'], input_type: 'search_document', output_dimension: 1024, ...V4 },
    { texts: ['blue'], input_type: 'search_query', output_dimension: 1024, ...V4 },
  ],
  [
    'us.twelvelabs.marengo-embed-2-7-v1:0',
    undefined,
    1024,
    { inputType: 'text', inputText: 'red' },
    { inputType: 'text', inputText: 'blue' },
  ],
  [
    'twelvelabs.marengo-embed-3-0-v1:0',
    undefined,
    512,
    { inputType: 'text', text: { inputText: 'red' } },
    { inputType: 'text', text: { inputText: 'blue' } },
  ],
] as const;

for (const [model, dimensions, size, document, question] of FAMILIES) {
  test(`${model}, ${dimensions ?? 'own'} dimensions`, async ({ fake }) => {
    const adapter = bedrockAdapter({ baseUrl: fake.origin, model, dimensions });
    const { embedded } = await embedAll(adapter, [{ text: 'red' }]);
    assert.is(embedded[0]?.vector.length, size);
    assert.equal(lastBody(fake), document);
    assert.is((await adapter.embedQuery('blue')).length, size);
    assert.equal(lastBody(fake), question);
    await adapter.close();
  });
}

for (const shape of ['bare', 'list', 'typed'] as const) {
  for (const model of ['cohere.embed-v4:0', 'twelvelabs.marengo-embed-3-0-v1:0']) {
    test(`the answer of ${model} may be ${shape}`, async () => {
      const fake = await startBedrockFake({ shape });
      const adapter = bedrockAdapter({ baseUrl: fake.origin, model });
      assert.ok((await adapter.embedQuery('blue')).length > 0);
      await adapter.close();
      await fake.close();
    });
  }
}

for (const [model, text] of [
  ['cohere.embed-english-v3', 'word '.repeat(2000)],
  ['cohere.embed-english-v3', '記憶'.repeat(3000)],
  ['amazon.titan-embed-image-v1', 'word '.repeat(2000)],
  ['us.twelvelabs.marengo-embed-2-7-v1:0', 'word '.repeat(500)],
  ['amazon.nova-2-multimodal-embeddings-v1:0', 'x'.repeat(30_000)],
] as const) {
  test(`a long text goes to ${model} in pieces that it takes: ${text.slice(0, 4)}`, async ({
    fake,
  }) => {
    const adapter = bedrockAdapter({ baseUrl: fake.origin, model });
    const { embedded, refused } = await embedAll(adapter, [{ text }, { text: 'short' }]);
    assert.is(embedded.length, 2);
    assert.equal(refused, []);
    await adapter.close();
  });
}

test('configured input types replace the labels, and are part of the identity', async ({
  fake,
}) => {
  const change = { baseUrl: fake.origin, model: 'cohere.embed-v4:0' };
  const inputTypes = { document: 'clustering', query: 'classification' };
  const adapter = bedrockAdapter({ ...change, inputTypes });
  await embedAll(adapter, [{ text: 'red' }]);
  assert.is(Reflect.get(Object(lastBody(fake)), 'input_type'), 'clustering');
  await adapter.embedQuery('blue');
  assert.is(Reflect.get(Object(lastBody(fake)), 'input_type'), 'classification');
  const plain = bedrockAdapter(change);
  assert.is(adapter.identity.documentForm, 'clustering');
  assert.is(plain.identity.documentForm, 'search_document');
  await adapter.close();
  await plain.close();
});

test('input types that a model does not have are not sent', async ({ fake }) => {
  const inputTypes = { document: 'document', query: 'query' };
  for (const [model, sent] of [
    ['cohere.embed-v4:0', ['search_document', 'search_query']],
    ['amazon.nova-2-multimodal-embeddings-v1:0', ['GENERIC_INDEX', 'TEXT_RETRIEVAL']],
  ] as const) {
    const adapter = bedrockAdapter({ baseUrl: fake.origin, model, inputTypes });
    const { refused } = await embedAll(adapter, [{ text: 'red' }]);
    assert.equal(refused, [], model);
    assert.match(JSON.stringify(lastBody(fake)), sent[0]);
    await adapter.embedQuery('blue');
    assert.match(JSON.stringify(lastBody(fake)), sent[1]);
    await adapter.close();
  }
});

test('a vector of another length than was asked for is refused', async ({ fake }) => {
  fake.trouble('wrong_dimensions');
  const adapter = bedrockAdapter({ baseUrl: fake.origin, model: 'amazon.titan-embed-text-v2:0' });
  const error = await failureOf(adapter.embedQuery('heron'));
  assert.is(error.code, 'PROVIDER_ANSWER_INVALID');
  assert.match(error.message, 'where 1024 were requested');
  await adapter.close();
});

test('an answer without a vector is broken, whatever the family', async ({ fake }) => {
  fake.trouble('wrong_count');
  for (const model of new Set(FAMILIES.map(([id]) => id))) {
    const adapter = bedrockAdapter({ baseUrl: fake.origin, model });
    assert.is((await failureOf(adapter.probe())).code, 'PROVIDER_ANSWER_INVALID', model);
    await adapter.close();
  }
});

test('a text with more tokens than estimated is sent in pieces', async ({ fake }) => {
  const adapter = bedrockAdapter({ baseUrl: fake.origin, model: 'amazon.titan-embed-image-v1' });
  const texts = [{ text: '4711 '.repeat(100) }, { text: 'red' }];
  const { embedded, refused } = await embedAll(adapter, texts);
  assert.equal([embedded.length, refused], [2, []]);
  await adapter.embedQuery(texts[0]?.text ?? '');
  await adapter.close();
});

test.run();
