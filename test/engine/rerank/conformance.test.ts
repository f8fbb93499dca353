import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Warning } from '../../../src/engine/errors/index.js';
import type { PassageReranker } from '../../../src/engine/rerank/rerank-passages.js';
import type { FakeVendor, Trouble } from '../../fakes/fake-vendor.js';
import {
  RERANK_KEY,
  startCohereRerankFake,
  startJinaRerankFake,
  startLlamaRerankFake,
  startTeiRerankFake,
  startVllmRerankFake,
  startVoyageRerankFake,
} from '../../fakes/rerankers.js';
import { rerankerOf } from './support.js';

type Settings = Parameters<typeof rerankerOf>[0];

/** A kind of reranker with the fake of its vendor. */
interface Subject {
  readonly name: string;
  readonly startFake: () => Promise<FakeVendor>;
  readonly settings: (fake: FakeVendor) => NonNullable<Settings>;
  readonly cost: 'none' | 'searchUnits' | 'tokens';
  readonly listwise?: boolean;
}

const remote = (baseUrl: string) => ({ baseUrl, apiKey: RERANK_KEY });

const SUBJECTS: readonly Subject[] = [
  {
    name: 'cohere',
    startFake: startCohereRerankFake,
    settings: ({ origin }) => ({ provider: 'cohere', remote: remote(`${origin}/v2`) }),
    cost: 'searchUnits',
  },
  {
    name: 'voyage',
    startFake: startVoyageRerankFake,
    settings: ({ origin }) => ({ provider: 'voyage', remote: remote(`${origin}/v1/`) }),
    cost: 'tokens',
  },
  {
    name: 'jina',
    startFake: startJinaRerankFake,
    settings: ({ origin }) => ({ provider: 'jina', remote: remote(`${origin}/v1`) }),
    cost: 'tokens',
    listwise: true,
  },
  {
    name: 'a server of vLLM',
    startFake: startVllmRerankFake,
    settings: ({ origin }) => ({ provider: 'compatible', remote: remote(`${origin}/v1`) }),
    cost: 'tokens',
  },
  {
    name: 'a server of llama.cpp',
    startFake: startLlamaRerankFake,
    settings: ({ origin }) => ({ provider: 'compatible', remote: remote(`${origin}/v1/rerank`) }),
    cost: 'tokens',
  },
  {
    name: 'a server of text-embeddings-inference',
    startFake: startTeiRerankFake,
    settings: ({ origin }) => ({ provider: 'compatible', remote: remote(origin) }),
    cost: 'none',
  },
];

const QUESTION = 'which automobile is red';
const NOTES = ['rain falls on the hills', 'the car is red', 'bread is baked at night'];

/** What can go wrong for good, and a word that the warning contains. */
const FINAL: readonly (readonly [Trouble, RegExp])[] = [
  ['key_refused', /401/],
  ['forbidden', /403/],
  ['quota_spent', /402/],
  ['redirected', /redirects/],
  ['wrong_count', /the index \d+ twice/],
  ['wrong_dimensions', /index/],
  ['not_finite', /score/],
  ['too_large', /413/],
];

for (const subject of SUBJECTS) {
  const test = suite<{ fake: FakeVendor; reranker: PassageReranker }>(
    `${subject.name} keeps the promises of a reranker`,
  );
  test.before.each(async (context) => {
    context.fake = await subject.startFake();
    context.reranker = await rerankerOf(subject.settings(context.fake));
  });
  test.after.each(async ({ fake, reranker }) => {
    await reranker.close();
    await fake.close();
  });

  test('the passage that answers the question has the best score', async ({ reranker }) => {
    const warnings: Warning[] = [];
    const reranked = await reranker.rerank(QUESTION, NOTES, warnings);
    assert.equal(warnings, []);
    const scores = [...(reranked?.scores ?? [])].sort(([, a], [, b]) => b - a);
    assert.is(scores.length, 3);
    assert.is(scores[0]?.[0], 1);
    const { tokens, searchUnits } = reranked?.report ?? {};
    assert.is(tokens !== undefined, subject.cost === 'tokens');
    assert.is(searchUnits, subject.cost === 'searchUnits' ? 1 : undefined);
  });

  test('a hundred passages all get a score', async ({ reranker }) => {
    const many = Array.from({ length: 100 }, (_, at) => `${NOTES[at % 3]} ${at}`);
    const reranked = await reranker.rerank(QUESTION, many, []);
    assert.is(reranked?.scores.size, 100);
  });

  test('blank passages are not sent, and nothing is paid twice', async ({ fake, reranker }) => {
    const first = await reranker.rerank(QUESTION, ['', ...NOTES, ' \n'], []);
    assert.equal([...(first?.scores.keys() ?? [])].sort(), [1, 2, 3]);
    const sent = fake.requests.length;
    const second = await reranker.rerank(QUESTION, NOTES, []);
    assert.is(fake.requests.length, sent);
    assert.is(second?.report.cached, 3);
    assert.is(second?.report.tokens, undefined);
    assert.equal(second?.scores.get(1), first?.scores.get(2));
  });

  test('a new passage is sent alone, unless its score depends on the others', async ({
    fake,
    reranker,
  }) => {
    await reranker.rerank(QUESTION, NOTES, []);
    await reranker.rerank(QUESTION, [...NOTES, 'the lorry is blue'], []);
    const body = JSON.parse(fake.requests.at(-1)?.body.toString('utf8') ?? '{}');
    const documents: readonly string[] = body.documents ?? body.texts;
    assert.is(documents.length, subject.listwise === true ? 4 : 1);
  });

  for (const [trouble, words] of FINAL) {
    test(`${trouble}: the order is kept, with a warning`, async ({ fake, reranker }) => {
      fake.trouble(trouble);
      const warnings: Warning[] = [];
      assert.is(await reranker.rerank(QUESTION, NOTES, warnings), undefined);
      const [warning] = warnings;
      assert.is(warning?.code, 'RERANK_FAILED');
      assert.match(warning?.message ?? '', words);
      assert.ok(warning?.hint);
      assert.not.match(JSON.stringify(warnings), RERANK_KEY);
    });
  }

  for (const trouble of ['rate_limited', 'overloaded', 'cut_off'] as const) {
    test(`${trouble} once: the request is repeated`, async ({ fake, reranker }) => {
      fake.trouble(trouble, 1);
      assert.ok(await reranker.rerank(QUESTION, NOTES, []));
    });
  }

  test('Ctrl-C ends the wait at once', async ({ fake, reranker }) => {
    fake.trouble('slow');
    const stop = new AbortController();
    const asked = reranker.rerank(QUESTION, NOTES, [], stop.signal);
    stop.abort(new Error('stopped'));
    try {
      await asked;
      assert.unreachable();
    } catch (error) {
      assert.is(error, stop.signal.reason);
    }
  });

  test('a server that is too slow is not waited for, nor asked again at once', async ({ fake }) => {
    fake.trouble('slow');
    const hasty = await rerankerOf({ ...subject.settings(fake), timeoutMs: 600 });
    const warnings: Warning[] = [];
    assert.is(await hasty.rerank(QUESTION, NOTES, warnings), undefined);
    assert.match(warnings[0]?.message ?? '', /no answer within 0.6 s/);
    const sent = fake.requests.length;
    fake.trouble(undefined);
    assert.is(await hasty.rerank(QUESTION, NOTES, warnings), undefined);
    assert.is(fake.requests.length, sent);
    assert.is(warnings.length, 2);
    await hasty.close();
  });

  test.run();
}
