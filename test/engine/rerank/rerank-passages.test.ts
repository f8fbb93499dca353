import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Warning } from '../../../src/engine/errors/index.js';
import { type FakeVendor, startFake } from '../../fakes/fake-vendor.js';
import {
  RERANK_KEY,
  startCohereRerankFake,
  startLlamaRerankFake,
  startTeiRerankFake,
  startVllmRerankFake,
} from '../../fakes/rerankers.js';
import { failureOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';
import { rerankerOf } from './support.js';

const test = suite<{ fake: FakeVendor }>('reranking within limits');

test.before.each(async (context) => {
  context.fake = await startCohereRerankFake();
});
test.after.each(async ({ fake }) => fake.close());

const cohere = ({ origin }: FakeVendor, more: Parameters<typeof rerankerOf>[0] = {}) =>
  ({
    provider: 'cohere',
    remote: { baseUrl: `${origin}/v2`, apiKey: RERANK_KEY },
    ...more,
  }) as const;

const NOTES = ['rain falls on the hills', 'the car is red', 'bread is baked at night'];

function documentsSent(fake: FakeVendor): readonly string[] {
  return JSON.parse(fake.requests.at(-1)?.body.toString('utf8') ?? '{}').documents;
}

test('only as many characters are sent as the budget of a search allows', async ({ fake }) => {
  const budget = { charsPerSearch: 1000 };
  const reranker = await rerankerOf(cohere(fake, { budget }));
  const passages = ['a', 'b', 'c'].map((letter) => letter.repeat(400));
  const reranked = await reranker.rerank('q', passages, []);
  assert.is(documentsSent(fake).length, 2);
  assert.equal([...(reranked?.scores.keys() ?? [])].sort(), [0, 1]);
  await reranker.close();
});

test('long passages are cut', async ({ fake }) => {
  const reranker = await rerankerOf(cohere(fake));
  await reranker.rerank('q', ['x'.repeat(30_000), 'short'], []);
  assert.is(documentsSent(fake)[0]?.length, 8000);
  await reranker.close();
});

test('a server that takes fewer tokens gets the beginnings of the passages', async () => {
  const server = await startLlamaRerankFake({ maxTokens: 512 });
  const remote = { baseUrl: server.origin, apiKey: RERANK_KEY };
  const reranker = await rerankerOf({ provider: 'compatible', remote });
  const warnings: Warning[] = [];
  const passages = ['the car is red', 'rain falls '.repeat(300)];
  const reranked = await reranker.rerank('what is red', passages, warnings);
  assert.equal(warnings, []);
  assert.is(reranked?.scores.size, 2);
  assert.equal(
    documentsSent(server).map(({ length }) => length),
    [14, 825],
  );
  assert.is(server.requests.length, 3, 'each with half of the characters');
  // Where no length is short enough, it is not tried forever.
  server.trouble('too_large');
  assert.is(await reranker.rerank('another question', passages, warnings), undefined);
  assert.match(warnings[0]?.message ?? '', /413/);
  await reranker.close();
  await server.close();
});

test('a server that takes fewer documents gets them in parts', async () => {
  const server = await startTeiRerankFake({ maxDocuments: 2 });
  const remote = { baseUrl: server.origin, apiKey: RERANK_KEY };
  const reranker = await rerankerOf({ provider: 'compatible', remote });
  const warnings: Warning[] = [];
  const passages = ['the car is red', 'rain falls', 'bread is baked', 'a ping', 'a pong'];
  const reranked = await reranker.rerank('what is red', passages, warnings);
  assert.equal(warnings, []);
  assert.is(reranked?.scores.size, 5);
  assert.is(server.requests.length, 5, 'in the form of Cohere, as a whole, and three parts');
  await reranker.close();
  await server.close();
});

test('the budget of a day ends requests of all processes, until the next day', async ({ fake }) => {
  const cacheFile = join(tempFolder().path, 'rerank.sqlite');
  let nowMs = Date.UTC(2026, 2, 11, 23);
  const clock = { now: () => nowMs };
  const settings = cohere(fake, { budget: { searchesPerDay: 2 } });
  const [one, other] = [
    await rerankerOf(settings, { cacheFile, clock }),
    await rerankerOf(settings, { cacheFile, clock }),
  ];
  const warnings: Warning[] = [];
  assert.ok(await one.rerank('first', NOTES, warnings));
  assert.ok(await other.rerank('second', NOTES, warnings));
  assert.equal(warnings, []);
  assert.is(await one.rerank('third', NOTES, warnings), undefined);
  assert.is(warnings[0]?.code, 'RERANK_BUDGET_SPENT');
  assert.match(warnings[0]?.message ?? '', 'the budget of 2 searches per day');
  assert.is(fake.requests.length, 2);
  // Costs nothing.
  assert.is((await other.rerank('first', NOTES, []))?.report.cached, 3);
  assert.equal(one.usedToday(), { searches: 2, tokens: 0, searchUnits: 2 });
  nowMs += 2 * 3_600_000;
  assert.ok(await one.rerank('third', NOTES, []));
  await one.close();
  await other.close();
});

test('what a search costs counts for the day on which it was sent', async ({ fake }) => {
  const cacheFile = join(tempFolder().path, 'rerank.sqlite');
  const evening = Date.UTC(2026, 2, 11, 21, 45);
  let nowMs = evening;
  // Each look at the clock takes an hour, so that the answer comes after midnight.
  const clock = { now: () => (nowMs += 3_600_000) };
  const reranker = await rerankerOf(cohere(fake), { cacheFile, clock });
  assert.ok(await reranker.rerank('query', NOTES, []));
  await reranker.close();
  const other = await rerankerOf(cohere(fake), { cacheFile, clock: { now: () => evening } });
  assert.equal(other.usedToday(), { searches: 1, tokens: 0, searchUnits: 1 });
  await other.close();
});

test('after a failure it rests for half a minute, unless the clock is set back', async ({
  fake,
}) => {
  let nowMs = Date.UTC(2026, 2, 11);
  const reranker = await rerankerOf(cohere(fake), { clock: { now: () => nowMs } });
  const isAsked = async (query: string): Promise<boolean> => {
    const before = fake.requests.length;
    await reranker.rerank(query, NOTES, []);
    return fake.requests.length > before;
  };
  fake.trouble('key_refused');
  assert.is(await isAsked('first'), true);
  nowMs += 29_999;
  assert.is(await isAsked('second'), false);
  nowMs -= 24 * 3_600_000;
  assert.is(await isAsked('third'), true);
  nowMs += 30_000;
  assert.is(await isAsked('fourth'), true);
  await reranker.close();
});

test('a key that was refused is read again', async ({ fake }) => {
  const vault = tempFolder();
  const path = vault.write('key', 'replaced-0123456789');
  chmodSync(path, 0o600);
  const apiKey = { source: 'file', provider: 'vault', id: 'value' } as const;
  const settings = cohere(fake, { remote: { baseUrl: `${fake.origin}/v2`, apiKey } });
  let nowMs = Date.UTC(2026, 2, 11);
  const reranker = await rerankerOf(settings, {
    secrets: { providers: { vault: { source: 'file', path, mode: 'singleValue' } } },
    clock: { now: () => nowMs },
  });
  assert.is(await reranker.rerank('what is red', NOTES, []), undefined);
  vault.write('key', RERANK_KEY);
  nowMs += 30_000;
  assert.ok(await reranker.rerank('what is red', NOTES, []));
  await reranker.close();
});

test('the cache holds no text, and a damaged one is replaced', async ({ fake }) => {
  const folder = tempFolder();
  const cacheFile = folder.at('rerank.sqlite');
  writeFileSync(cacheFile, 'not a database, and long enough to look like one'.repeat(50));
  for (const cached of [0, 3]) {
    const reranker = await rerankerOf(cohere(fake), { cacheFile });
    assert.is((await reranker.rerank('what is red', NOTES, []))?.report.cached, cached);
    await reranker.close();
  }
  assert.is(fake.requests.length, 1);
});

test('another model does not get the scores of this one', async ({ fake }) => {
  const cacheFile = join(tempFolder().path, 'rerank.sqlite');
  for (const model of ['rerank-v3.5', 'rerank-v4.0-fast']) {
    const reranker = await rerankerOf(cohere(fake, { model }), { cacheFile });
    assert.is((await reranker.rerank('what is red', NOTES, []))?.report.cached, 0);
    await reranker.close();
  }
});

test('another server does not get the scores of this one, although its model has the same name', async ({
  fake,
}) => {
  const cacheFile = join(tempFolder().path, 'rerank.sqlite');
  const other = await startCohereRerankFake();
  for (const server of [fake, other]) {
    const reranker = await rerankerOf(cohere(server), { cacheFile });
    assert.is((await reranker.rerank('what is red', NOTES, []))?.report.cached, 0);
    await reranker.close();
  }
  await other.close();
});

test('without a usable cache, everything is sent again', async ({ fake }) => {
  const file = tempFolder().write('file', '');
  const reranker = await rerankerOf(cohere(fake), { cacheFile: join(file, 'rerank.sqlite') });
  assert.ok(await reranker.rerank('what is red', NOTES, []));
  assert.is((await reranker.rerank('what is red', NOTES, []))?.report.cached, 0);
  await reranker.close();
  const limited = await rerankerOf(cohere(fake, { budget: { searchesPerDay: 5 } }), {
    cacheFile: join(file, 'rerank.sqlite'),
  });
  const warnings: Warning[] = [];
  assert.is(await limited.rerank('what is red', NOTES, warnings), undefined);
  assert.match(warnings[0]?.message ?? '', /cannot be checked/);
});

test('a key comes from the vendor’s variable, and goes to its own address only', async ({
  fake,
}) => {
  const env = { COHERE_API_KEY: RERANK_KEY };
  const own = await rerankerOf({ provider: 'cohere' }, { env });
  assert.equal(own.choice.credential.state, 'found');
  assert.is(own.choice.baseUrl, 'https://api.cohere.com/v2');
  const { origin } = fake;
  const elsewhere = { provider: 'cohere', remote: { baseUrl: `${origin}/v2` } } as const;
  const custom = await rerankerOf(elsewhere, { env });
  const warnings: Warning[] = [];
  assert.is(await custom.rerank('what is red', NOTES, warnings), undefined);
  assert.is(fake.requests[0]?.headers.authorization, undefined);
  assert.match(warnings[0]?.hint ?? '', /COHERE_API_KEY is only sent to the vendor's own address/);
});

test('a missing key is reported before anything is sent', async () => {
  const reranker = await rerankerOf({ provider: 'jina' });
  const warnings: Warning[] = [];
  assert.is(await reranker.rerank('what is red', NOTES, warnings), undefined);
  assert.match(warnings[0]?.message ?? '', /reranker jina\/jina-reranker-v3: no API key found/);
  assert.match(warnings[0]?.hint ?? '', /JINA_API_KEY/);
});

test('an unknown model names the setting', async ({ fake }) => {
  const reranker = await rerankerOf(cohere(fake, { model: 'rerank-v9' }));
  const warnings: Warning[] = [];
  assert.is(await reranker.rerank('what is red', NOTES, warnings), undefined);
  assert.match(warnings[0]?.hint ?? '', /query\.rerank\.model \(rerank-v9\)/);
  await reranker.close();
});

test('the address may include the path in any form that servers have', async () => {
  const server = await startVllmRerankFake();
  for (const path of ['', '/v1', '/v1/rerank', '/v1/reranks']) {
    const remote = { baseUrl: `${server.origin}${path}`, apiKey: RERANK_KEY };
    const reranker = await rerankerOf({ provider: 'compatible', remote });
    assert.equal((await reranker.rerank('what is red', NOTES, []))?.scores.size, NOTES.length);
    await reranker.close();
  }
  await server.close();
});

test('a broken answer of a server without a model names the address only', async () => {
  const server = await startVllmRerankFake();
  const baseUrl = `${server.origin}/v1`;
  const reranker = await rerankerOf({
    provider: 'compatible',
    remote: { baseUrl, apiKey: RERANK_KEY },
  });
  server.trouble('not_finite');
  const warnings: Warning[] = [];
  assert.is(await reranker.rerank('what is red', NOTES, warnings), undefined);
  assert.is(warnings[0]?.hint, `check that ${baseUrl} serves reranking`);
  await reranker.close();
  await server.close();
});

test('a probe tells whether it works, and costs one small request', async ({ fake }) => {
  const reranker = await rerankerOf(cohere(fake));
  assert.ok((await reranker.probe(new AbortController().signal)).ms >= 0);
  fake.trouble('key_refused');
  const failure = await failureOf(reranker.probe(new AbortController().signal));
  assert.is(failure.code, 'PROVIDER_AUTH');
  await reranker.close();
});

test('a probe finds a server that rates the same passage twice', async () => {
  const results = [0.9, 0.1].map((score) => ({ index: 0, relevance_score: score }));
  const answer = () => ({ status: 200, body: { results } });
  const server = await startFake({ answer, troubleAnswers: {} });
  const reranker = await rerankerOf({
    provider: 'compatible',
    remote: { baseUrl: server.origin, apiKey: RERANK_KEY },
  });
  const failure = await failureOf(reranker.probe(new AbortController().signal));
  assert.is(failure.code, 'PROVIDER_ANSWER_INVALID');
  assert.match(failure.message, 'the index 0 twice');
  await reranker.close();
  await server.close();
});

test.run();
