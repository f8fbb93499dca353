import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ADAPTER_IDS,
  type AdapterId,
  dimensionsToAsk,
  PROVIDERS,
} from '../../../src/engine/providers/registry.js';

const test = suite('requested vector lengths');

const ASKED: readonly (readonly [AdapterId, string, number | undefined, number | undefined])[] = [
  ['voyage', 'voyage-4-large', undefined, undefined],
  ['voyage', 'voyage-4-large', 512, 512],
  ['voyage', 'voyage-4-large', 700, undefined],
  ['voyage', 'voyage-of-tomorrow', 700, 700],
  ['mistral', 'mistral-embed', 1024, undefined],
  ['mistral', 'codestral-embed', 512, 512],
  ['openai', 'text-embedding-ada-002', 1536, undefined],
  ['deepinfra', 'BAAI/bge-m3', 2048, undefined],
  ['deepinfra', 'BAAI/bge-m3', 256, 256],
  ['ollama', 'nomic-embed-text:latest', 256, 256],
  ['ollama', 'nomic-embed-text', 1024, undefined],
  ['github-copilot', 'text-embedding-3-small', 512, 512],
  ['lmstudio', 'any', 256, undefined],
  ['local', 'any', 256, undefined],
];

for (const [adapter, model, size, asked] of ASKED) {
  test(`${adapter} ${model}, ${size} configured: ${asked ?? 'none'} asked for`, () => {
    assert.is(dimensionsToAsk(PROVIDERS[adapter], model, size), asked);
  });
}

test('all adapters have a default model by name, but for the one that asks for its own', () => {
  const without = ADAPTER_IDS.filter((id) => PROVIDERS[id].model === null);
  assert.equal(without, ['github-copilot']);
});

test.run();
