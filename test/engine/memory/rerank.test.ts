import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnoseMemory } from '../../../src/engine/memory/diagnose-memory.js';
import type { SearchRequest } from '../../../src/engine/memory/search/index.js';
import type { FakeVendor } from '../../fakes/fake-vendor.js';
import { RERANK_KEY, type Relevance, startCohereRerankFake } from '../../fakes/rerankers.js';
import { pathsOf, warningCodes } from '../../support/memory.js';
import { semanticMemory } from '../../support/semantic-memory.js';
import { waitFor } from '../../support/wait.js';

const test = suite<{ fake: FakeVendor }>('searching with a reranker');

/** The keyword order is a, b, c, d; the fake prefers d, then c. */
const NOTES = {
  'a.md': '# Tea\n\ntea tea tea tea in the kitchen',
  'b.md': '# Pots\n\ntea tea tea with a pot',
  'c.md': '# Leaves\n\ntea tea of green leaves',
  'd.md': '# Answer\n\ntea is served at four',
};
const prefersAnswer: Relevance = (_, document) =>
  document.startsWith('Answer') ? 0.9 : document.startsWith('Leaves') ? 0.6 : 0.1;

test.before.each(async (context) => {
  context.fake = await startCohereRerankFake({ relevance: prefersAnswer });
});
test.after.each(async ({ fake }) => fake.close());

async function search(
  fake: FakeVendor,
  request: Partial<SearchRequest> = {},
  query: Readonly<Record<string, unknown>> = {},
  notes: Readonly<Record<string, string>> = NOTES,
) {
  const memory = await semanticMemory(fake, notes).open({
    provider: 'none',
    query: { rerank: { provider: 'cohere', remote: remoteOf(fake) }, minScore: 0, ...query },
  });
  try {
    return await memory.backend.search({ query: 'tea', explain: true, ...request });
  } finally {
    await memory.backend.close();
  }
}

const remoteOf = ({ origin }: FakeVendor) => ({ baseUrl: `${origin}/v2`, apiKey: RERANK_KEY });

test('the reranker decides the order, and the scores keep their scale', async ({ fake }) => {
  const before = await search(fake, { rerank: false });
  assert.is(fake.requests.length, 0);
  assert.is(before.rerank, undefined);
  const after = await search(fake);
  assert.equal(pathsOf(after).slice(0, 2), ['memory/d.md', 'memory/c.md']);
  const scores = (response: typeof after) => response.results.map(({ score }) => score);
  assert.equal(scores(after), scores(before));
  const [best] = after.results;
  assert.is(best?.rerankScore, 0.9);
  assert.is(best?.explanation?.placeBeforeRerank, pathsOf(before).indexOf('memory/d.md') + 1);
  const { ms: _, ...report } = after.rerank ?? {};
  assert.equal(report, {
    provider: 'cohere',
    model: 'rerank-v3.5',
    passages: 4,
    cached: 0,
    searchUnits: 1,
  });
});

test('only the best candidates are sent; the rest follow', async ({ fake }) => {
  const response = await search(
    fake,
    {},
    {
      rerank: { provider: 'cohere', remote: remoteOf(fake), topN: 2 },
    },
  );
  assert.is(response.rerank?.passages, 2);
  assert.is(response.results.length, 4);
  assert.equal(
    response.results.map(({ rerankScore }) => rerankScore !== undefined),
    [true, true, false, false],
  );
});

test('a failing reranker keeps the order, with one warning', async ({ fake }) => {
  const before = await search(fake, { rerank: false });
  fake.trouble('key_refused');
  const after = await search(fake);
  assert.equal(pathsOf(after), pathsOf(before));
  assert.equal(warningCodes(after), ['RERANK_FAILED']);
});

test('searches while typing are not sent', async ({ fake }) => {
  await search(fake, { lexicalOnly: true });
  assert.is(fake.requests.length, 0);
});

test('decay by age still applies', async ({ fake }) => {
  const notes = {
    '2020-01-01.md': '# Answer\n\ntea is served at four',
    'new.md': '# Other\n\ntea tea tea in the kitchen',
  };
  const decaying = { hybrid: { temporalDecay: { enabled: true, halfLifeDays: 30 } } };
  const withAge = await search(
    fake,
    {},
    {
      rerank: { provider: 'cohere', remote: remoteOf(fake) },
      ...decaying,
    },
    notes,
  );
  assert.is(pathsOf(withAge)[0], 'memory/new.md');
  const ageless = await search(fake, {}, {}, notes);
  assert.is(pathsOf(ageless)[0], 'memory/2020-01-01.md');
});

test('it is part of the diagnosis, where its failure is a warning', async ({ fake }) => {
  const memory = await semanticMemory(fake, NOTES).open({
    provider: 'none',
    query: { rerank: { provider: 'cohere', remote: remoteOf(fake) } },
  });
  const { signal } = new AbortController();
  const look = async () => {
    const { ok, checks } = await diagnoseMemory(memory, { signal, onEvent: () => undefined });
    return { ok, ...checks.find(({ check }) => check === 'rerank') };
  };
  const good = await look();
  assert.is(good.state, 'ok');
  assert.is(good.text, 'cohere/rerank-v3.5');
  assert.is(good.note, 'today 1 request, 1 search unit');
  fake.trouble('key_refused');
  const bad = await look();
  assert.is(bad.state, 'warning');
  assert.is(bad.ok, true);
  assert.is(bad.code, 'PROVIDER_AUTH');
  assert.match(bad.hint ?? '', /memorySearch\.query\.rerank\.remote\.apiKey/);
  await memory.backend.close();
});

test('Ctrl-C ends the search', async ({ fake }) => {
  fake.trouble('slow');
  const memory = await semanticMemory(fake, NOTES).open({
    provider: 'none',
    query: { rerank: { provider: 'cohere', remote: remoteOf(fake), timeoutMs: 60_000 } },
  });
  const stop = new AbortController();
  const search = memory.backend.search({ query: 'tea' }, { signal: stop.signal });
  await waitFor('the request', () => fake.requests.length > 0);
  stop.abort(new Error('stopped'));
  try {
    await search;
    assert.unreachable();
  } catch (error) {
    assert.is(error, stop.signal.reason);
  }
  await memory.backend.close();
});

test.run();
