import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expectedDifferences, expectedIdentity } from '../../../src/engine/embeddings/identity.js';
import { identityKey } from '../../../src/engine/embeddings/index.js';
import type { FakeVendor } from '../../fakes/fake-vendor.js';
import { startOpenAiFake } from '../../fakes/openai.js';
import { semanticMemory } from '../../support/semantic-memory.js';

const test = suite('the identity that settings lead to');

let fake: FakeVendor;
test.before(async () => {
  fake = await startOpenAiFake({ inputType: true });
});
test.after(() => fake.close());

type Settings = Readonly<Record<string, unknown>>;

/** The identity of a provider that was opened, and what was expected of it without opening it. */
async function identitiesOf(settings: Settings) {
  const memory = await semanticMemory(fake).open(settings);
  const primary = memory.providers?.primary;
  if (primary === undefined) throw new Error('no provider');
  const adapter = await primary.open(new AbortController().signal);
  await memory.backend.close();
  const expected = expectedIdentity(primary.choice, memory.agent.memorySearch);
  return { key: identityKey(adapter.identity), expected };
}

const SETTINGS: readonly Settings[] = [
  {},
  { model: 'openai/text-embedding-3-large', outputDimensionality: 256 },
  { model: 'text-embedding-ada-002' },
  { documentInputType: 'passage', queryInputType: 'query' },
  { inputType: 'text' },
  ...['deepinfra', 'gemini', 'lmstudio', 'mistral', 'ollama', 'voyage'].map((provider) => {
    return { provider, remote: { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'x' } };
  }),
  ...['gemini', 'ollama'].map((provider) => {
    const path = provider === 'gemini' ? 'v1beta/openai/' : 'v1';
    return { provider, remote: { baseUrl: `http://127.0.0.1:9/${path}`, apiKey: 'x' } };
  }),
  { provider: 'gemini', remote: { apiKey: 'x' } },
  { provider: 'ollama', remote: {} },
  { provider: 'voyage', outputDimensionality: 512 },
  {
    provider: 'github-copilot',
    model: 'text-embedding-ada-002',
    outputDimensionality: 1536,
    remote: { baseUrl: 'http://127.0.0.1:9', apiKey: 'x' },
  },
];

test('queries are sent with their own label', async () => {
  const memory = await semanticMemory(fake).open({ inputType: 'text', queryInputType: 'query' });
  const adapter = await memory.providers?.primary?.open(new AbortController().signal);
  await adapter?.embedQuery('hello');
  await memory.backend.close();
  const body: unknown = JSON.parse(String(fake.requests.at(-1)?.body));
  assert.is(Reflect.get(Object(body), 'input_type'), 'query');
});

for (const settings of SETTINGS) {
  test(`is that of the opened provider: ${JSON.stringify(settings)}`, async () => {
    const { key, expected } = await identitiesOf(settings);
    assert.equal(expectedDifferences(key, expected), []);
  });
}

test('names what differs', async () => {
  const { key } = await identitiesOf({});
  const { expected } = await identitiesOf({
    model: 'text-embedding-3-large',
    outputDimensionality: 512,
    inputType: 'passage',
    remote: { baseUrl: 'https://emb.corp.example/v1', apiKey: 'x' },
  });
  assert.equal(expectedDifferences(key, expected), [
    `address: ${fake.origin}/v1 → https://emb.corp.example/v1`,
    'model: text-embedding-3-small → text-embedding-3-large',
    'length: default → 512',
    'document label: default → passage',
  ]);
});

test('the same adapter at another address is another identity', async () => {
  const at = (provider: string, port: number): Settings => {
    return { provider, remote: { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'x' } };
  };
  for (const provider of ['gemini', 'ollama', 'voyage']) {
    const { key } = await identitiesOf(at(provider, 8));
    const { expected } = await identitiesOf(at(provider, 9));
    assert.match(expectedDifferences(key, expected)[0] ?? '', /^address: .*:8.* → .*:9/);
  }
});

test('a local model that reads another length at once is another identity', async () => {
  const modelPath = 'hf:someone/model/model.gguf';
  const local = (contextSize?: number): Settings => ({
    provider: 'local',
    remote: {},
    local: { modelPath, ...(contextSize === undefined ? {} : { contextSize }) },
  });
  const { key: short, expected: shortExpected } = await identitiesOf(local(512));
  const { key: usual, expected: usualExpected } = await identitiesOf(local());
  assert.equal(expectedDifferences(short, shortExpected), []);
  assert.equal(expectedDifferences(short, usualExpected), ['local.contextSize: 512 → default']);
  assert.equal(expectedDifferences(usual, shortExpected), ['local.contextSize: default → 512']);
  assert.not.match(usual, 'contextSize', 'the keys of older indexes stay what they are');
});

test.run();
