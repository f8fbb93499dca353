import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../../../src/engine/memory/index/documents.js';
import { failureOf } from '../../../support/failure.js';
import { sharedKinds, sqliteKind } from '../../../support/indexes.js';
import {
  apply,
  documentOf,
  embedMissing,
  putChange,
  removeChange,
  textVector,
} from '../../../support/vector-index.js';

const KEEP_ALL = { keepIdentities: ['m'], cacheEntries: 1000, atMs: 5 };
const KEEP_USED = { keepIdentities: ['m'], cacheEntries: 0, atMs: 5 };

for (const kind of [sqliteKind, ...(await sharedKinds())]) {
  const test = suite(`vectors in an index on ${kind.name}`);

  test.after(() => kind.stop());

  test('chunks without a vector are listed in pages, equal contents once', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one', 'two', 'two'), putChange('b.md', 'one', 'three'));
    assert.is(await index.countMissingEmbeddings('m'), 5);
    assert.is(await index.countMissingEmbeddings('m', 3), 3);
    assert.is(await index.countMissingEmbeddings('m', 9), 5);
    const all = await index.missingEmbeddings('m', 0, 10);
    assert.equal(
      all.map(({ text }) => text),
      ['two', 'one', 'three'],
    );
    assert.equal(all[0]?.headingPath, ['Title', 'Part']);
    assert.is(all[0]?.hash.length, 16);
    const pages: readonly (readonly [number, string[]])[] = [
      [2, ['two', 'one', 'three']],
      // What is on the page is not read again.
      [3, ['one', 'three']],
    ];
    for (const [size, rest] of pages) {
      const first = await index.missingEmbeddings('m', 0, size);
      const next = await index.missingEmbeddings('m', first.at(-1)?.chunkId ?? 0, 10);
      assert.equal(
        next.map(({ text }) => text),
        rest,
      );
    }
    assert.is(await embedMissing(index, 'm', textVector), 3);
    assert.is(await index.countMissingEmbeddings('m'), 0);
    assert.is(await index.countMissingEmbeddings('other'), 5);
    index.close();
  });

  test('a chunk that reuses the ID of a removed one lacks a vector', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one'), putChange('b.md', 'two'));
    await embedMissing(index, 'm', textVector);
    await apply(index, putChange('b.md', 'three'));
    assert.is(await index.countMissingEmbeddings('m'), 1);
    await apply(
      index,
      removeChange('a.md'),
      removeChange('b.md'),
      putChange('c.md', 'four', 'five'),
    );
    assert.is(await index.countMissingEmbeddings('m'), 2);
    index.close();
  });

  test('a vector that arrives out of order leaves earlier chunks without one', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one', 'two', 'three'));
    const [, , three] = await index.missingEmbeddings('m', 0, 10);
    if (three === undefined) throw new Error('three is not missing');
    await index.putEmbeddings('m', [{ hash: three.hash, vectors: [textVector('three')] }]);
    assert.equal(
      (await index.missingEmbeddings('m', 0, 10)).map(({ text }) => text),
      ['one', 'two'],
    );
    index.close();
  });

  test('few vectors next to many of another identity are all sampled', async () => {
    const index = await kind.newIndex();
    const texts = Array.from({ length: 1000 }, (_, at) => `passage ${at}`);
    await apply(index, putChange('a.md', ...texts));
    await embedMissing(index, 'many', textVector);
    const few = await index.missingEmbeddings('few', 0, 20);
    const entries = few.map(({ hash, text }) => ({ hash, vectors: [textVector(text)] }));
    await index.putEmbeddings('few', entries);
    const query = textVector('alpha');
    const view = await index.view();
    assert.is((await view.sampleSimilarities('few', query, 256)).texts.length, 20);
    assert.ok((await view.sampleSimilarities('many', query, 256)).texts.length > 250);
    index.close();
  });

  test('the sample of a memory does not depend on how often its notes were edited', async () => {
    const texts = (edit: number): string[] =>
      Array.from({ length: 40 }, (_, at) => `passage ${at} of edit ${edit}`);
    const query = textVector('passage 7');
    const sampleAfter = async (...edits: readonly number[]): Promise<readonly number[]> => {
      const index = await kind.newIndex();
      await apply(index, putChange('a.md', 'alpha', 'beta', 'gamma'));
      for (const edit of edits) {
        await apply(index, putChange('b.md', ...texts(edit)));
        await embedMissing(index, 'm', textVector);
      }
      await index.tidyEmbeddings(KEEP_USED);
      const sample = await (await index.view()).sampleSimilarities('m', query, 256);
      index.close();
      return sample.texts;
    };
    const fresh = await sampleAfter(9);
    assert.is(fresh.length, 43);
    assert.equal(await sampleAfter(1, 2, 3, 4, 5, 6, 7, 8, 9), fresh);
  });

  test('media and superseded vectors are counted, refused, listed and removed alike', async () => {
    const index = await kind.newIndex();
    const picture = (path: string, size: number): Change => {
      const fingerprint = { size, mtimeMs: 1, ctimeMs: 1 };
      const document = { ...documentOf(path, [`Image file: ${path}`]), fingerprint };
      return { type: 'put', document: { ...document, kind: 'media', mimeType: 'image/png' } };
    };
    await apply(index, putChange('a.md', 'one', 'two'), picture('a.png', 10), picture('b.png', 7));
    await embedMissing(index, 'm', textVector);
    await embedMissing(index, 'old', textVector);
    assert.equal(await index.countMissingMedia('m'), { files: 2, bytes: 17 });
    const [first] = await index.missingMedia('m', 0, 9);
    const refusal = { hash: first?.hash ?? Buffer.alloc(0), why: 'too large', isMedia: true };
    await index.refuseEmbeddings('m', [refusal]);
    assert.equal(await index.countMissingMedia('m'), { files: 1, bytes: 7 });
    assert.equal(await index.refusedMedia(), [
      { identity: 'm', path: 'a.png', mimeType: 'image/png', why: 'too large' },
    ]);
    const [one, ...none] = await index.storedEmbeddings('m', { after: 0, limit: 1 });
    const rest = await index.storedEmbeddings('m', { after: one?.id ?? 0, limit: 9 });
    assert.equal([none.length, rest.length, rest[0]?.vectors[0]?.length], [0, 1, 24]);
    assert.equal([...(await index.vectorIdentities())].sort(), ['m', 'old']);
    await index.tidyEmbeddings({ ...KEEP_ALL, isSuperseded: (identity) => identity === 'old' });
    assert.equal([...(await index.vectorIdentities())], ['m']);
    index.close();
  });

  test('texts and media are sampled apart', async () => {
    const index = await kind.newIndex();
    const picture = { ...documentOf('a.png', ['Image file: a.png']), kind: 'media' } as const;
    const document = { ...picture, mimeType: 'image/png' };
    await apply(index, putChange('a.md', 'one', 'two'), { type: 'put', document });
    await embedMissing(index, 'm', textVector);
    for (const { hash } of await index.missingMedia('m', 0, 9)) {
      await index.putEmbeddings('m', [{ hash, vectors: [textVector('picture')] }]);
    }
    const view = await index.view();
    const query = textVector('picture');
    const { texts, media, mediaChunks } = await view.sampleSimilarities('m', query, 9);
    assert.is(texts.length, 2);
    assert.equal(
      media.map((similarity) => similarity.toFixed(2)),
      ['1.00'],
    );
    const [near] = await view.vectorCandidates('m', query, 1);
    assert.equal([...mediaChunks], [near?.chunkId]);
    index.close();
  });

  test('the nearest of many vectors is found, however few dimensions they have', async () => {
    const index = await kind.newIndex();
    const far = Array.from({ length: 2200 }, (_, at) => `far ${at}`);
    await apply(index, putChange('a.md', ...far, 'near'));
    const vectorAt = (angle: number) => Float32Array.of(Math.cos(angle), Math.sin(angle));
    await embedMissing(index, 'm', (text) => vectorAt(text === 'near' ? 0.1 : 0.5));
    for (const path of [undefined, (path: string) => path === 'a.md']) {
      const [best] = await index.vectorCandidates('m', vectorAt(0), 1, { path });
      assert.is(best?.text, 'near');
    }
    index.close();
  });

  test('a passage is described in the same way whether words or vectors find it', async () => {
    const index = await kind.newIndex();
    const text = 'Die Sicherung der Datenbank läuft jede Nacht, und wir prüfen sie am Morgen.';
    await apply(index, putChange('de.md', text));
    await embedMissing(index, 'm', textVector);
    const [near] = await index.vectorCandidates('m', textVector(text), 1);
    const [found] = await index.lexicalCandidates('"datenbank"', 1);
    assert.is(found?.language, 'de');
    const { similarity, ...nearPassage } = near ?? {};
    const { bm25, ...foundPassage } = found ?? {};
    assert.ok(similarity && bm25);
    assert.equal(nearPassage, foundPassage);
    index.close();
  });

  test('a renamed or rewritten text keeps its vector', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one', 'two'));
    await embedMissing(index, 'm', textVector);
    await apply(index, removeChange('a.md'), putChange('z.md', 'two', 'one'));
    assert.is(await index.countMissingEmbeddings('m'), 0);
    await index.tidyEmbeddings(KEEP_USED);
    assert.is(await index.countMissingEmbeddings('m'), 0);
    const [best] = await index.vectorCandidates('m', textVector('one'), 1);
    assert.equal([best?.path, best?.text, best?.startLine], ['z.md', 'one', 2]);
    assert.ok(Math.abs((best?.similarity ?? 0) - 1) < 1e-6);
    index.close();
  });

  test('without a cache an unused vector is deleted, with one it is reused', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one', 'two'));
    await embedMissing(index, 'm', textVector);
    await apply(index, putChange('a.md', 'one'));
    assert.equal(await index.vectorSpaces(), [
      { identity: 'm', dimensions: 24, chunks: 1, cached: 1, refused: 0 },
    ]);
    await index.tidyEmbeddings(KEEP_ALL);
    assert.equal(await index.vectorSpaces(), [
      { identity: 'm', dimensions: 24, chunks: 1, cached: 1, refused: 0 },
    ]);
    await apply(index, putChange('b.md', 'two'));
    assert.is(await index.countMissingEmbeddings('m'), 0);
    await index.tidyEmbeddings(KEEP_USED);
    assert.is(await index.countMissingEmbeddings('m'), 0);
    assert.is((await index.vectorCandidates('m', textVector('two'), 1))[0]?.text, 'two');
    await apply(index, removeChange('b.md'));
    await index.tidyEmbeddings(KEEP_USED);
    await apply(index, putChange('b.md', 'two'));
    assert.is(await index.countMissingEmbeddings('m'), 1);
    index.close();
  });

  test('the cache keeps what was used last', async () => {
    const index = await kind.newIndex();
    const names = ['one', 'two', 'three'];
    await apply(index, ...names.map((name) => putChange(`${name}.md`, name)));
    await embedMissing(index, 'm', textVector);
    for (const [at, name] of ['two', 'three', 'one'].entries()) {
      await apply(index, removeChange(`${name}.md`));
      await index.tidyEmbeddings({ keepIdentities: ['m'], cacheEntries: 2, atMs: 10 + at });
    }
    await apply(index, ...names.map((name) => putChange(`${name}.md`, name)));
    assert.equal(
      (await index.missingEmbeddings('m', 0, 10)).map(({ text }) => text),
      ['two'],
    );
    index.close();
  });

  test('vectors of an abandoned identity are deleted, or cached until it is used again', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one', 'two'));
    await embedMissing(index, 'm', textVector);
    await embedMissing(index, 'n', (text) => textVector(text, 8));
    await index.tidyEmbeddings({ keepIdentities: ['n'], cacheEntries: 10, atMs: 1 });
    assert.is(await index.countMissingEmbeddings('m'), 0);
    assert.is((await index.vectorCandidates('m', textVector('two'), 1))[0]?.text, 'two');
    await apply(index, putChange('b.md', 'three'));
    await index.tidyEmbeddings({ keepIdentities: ['m'], cacheEntries: 10, atMs: 2 });
    assert.is(await embedMissing(index, 'm', textVector), 1);
    assert.is((await index.vectorCandidates('m', textVector('one'), 9)).length, 3);
    await index.tidyEmbeddings({ keepIdentities: ['m'], cacheEntries: 0, atMs: 3 });
    assert.equal(
      (await index.vectorSpaces()).map(({ identity, chunks }) => [identity, chunks]),
      [['m', 3]],
    );
    index.close();
  });

  test('vectors that the cache lost are missing when their identity is used again', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one', 'two', 'three'));
    await embedMissing(index, 'm', textVector);
    await index.tidyEmbeddings({ keepIdentities: ['n'], cacheEntries: 2, atMs: 1 });
    assert.is(await index.countMissingEmbeddings('m'), 1);
    await index.tidyEmbeddings({ keepIdentities: ['m'], cacheEntries: 2, atMs: 2 });
    assert.is(await index.countMissingEmbeddings('m'), 1);
    assert.is(await embedMissing(index, 'm', textVector), 1);
    assert.is((await index.vectorCandidates('m', textVector('one'), 9)).length, 3);
    index.close();
  });

  test('a vector whose chunk was removed meanwhile is dropped: its text may be forgotten', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one', 'two'));
    const [one] = await index.missingEmbeddings('m', 0, 1);
    if (one === undefined) throw new Error('nothing is missing');
    const [two] = await index.missingEmbeddings('m', one.chunkId, 1);
    if (two === undefined) throw new Error('only one is missing');
    await apply(index, putChange('a.md', 'two'));
    await index.putEmbeddings('m', [
      { hash: one.hash, vectors: [textVector('one')] },
      { hash: two.hash, vectors: [textVector('two')] },
    ]);
    const [space] = await index.vectorSpaces();
    assert.equal([space?.chunks, space?.cached], [1, 0]);
    index.close();
  });

  test('vectors of another length are refused, and nothing of their transaction stays', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one', 'two'));
    const [one, two] = await index.missingEmbeddings('m', 0, 10);
    if (one === undefined || two === undefined) throw new Error('nothing is missing');
    const wrong = [
      { hash: one.hash, vectors: [textVector('one')] },
      { hash: two.hash, vectors: [textVector('two', 5)] },
    ];
    const failure = await failureOf(index.putEmbeddings('m', wrong));
    assert.is(failure.code, 'PROVIDER_ANSWER_INVALID');
    assert.is(await index.countMissingEmbeddings('m'), 2);
    assert.equal(await index.vectorSpaces(), []);
    await embedMissing(index, 'm', textVector);
    const query = await failureOf(index.vectorCandidates('m', textVector('one', 5), 1));
    assert.is(query.code, 'PROVIDER_ANSWER_INVALID');
    index.close();
  });

  test('ties are broken by path and line, whatever the order of the vectors', async () => {
    const index = await kind.newIndex();
    await apply(
      index,
      putChange('c.md', 'x', 'y'),
      putChange('a.md', 'z', 'x'),
      putChange('b.md', 'w'),
    );
    await embedMissing(index, 'm', () => textVector('all the same'));
    const found = await index.vectorCandidates('m', textVector('all the same'), 3);
    assert.equal(
      found.map(({ path, startLine }) => `${path}:${startLine}`),
      ['a.md:1', 'a.md:2', 'b.md:1'],
    );
    index.close();
  });

  test('a filter keeps paths and sources', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'one', 'two'), putChange('b.md', 'one', 'three'));
    await embedMissing(index, 'm', textVector);
    const query = textVector('one');
    const inB = await index.vectorCandidates('m', query, 9, { path: (path) => path === 'b.md' });
    assert.equal(
      inB.map(({ path, text }) => [path, text]),
      [
        ['b.md', 'one'],
        ['b.md', 'three'],
      ],
    );
    assert.equal(await index.vectorCandidates('m', query, 9, { sources: ['sessions'] }), []);
    assert.equal(await index.vectorCandidates('none', query, 9), []);
    index.close();
  });

  test('similarities, vectors and lexical scores of given chunks', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'alpha', 'beta alpha', 'gamma'));
    const [alpha, both] = await index.missingEmbeddings('m', 0, 10);
    if (alpha === undefined || both === undefined) throw new Error('nothing is missing');
    await index.putEmbeddings('m', [{ hash: alpha.hash, vectors: [new Float32Array([3, 4])] }]);
    const ids = [1, 2, 3, 99];
    const near = await index.similarities('m', new Float32Array([1, 0]), ids);
    assert.equal([...near.keys()], [alpha.chunkId]);
    assert.ok(Math.abs((near.get(alpha.chunkId) ?? 0) - 0.6) < 0.005);
    const scores = await index.lexicalScores('"alpha"', [both.chunkId, 3]);
    const [, second] = await index.lexicalCandidates('"alpha"', 10);
    assert.equal([...scores], [[both.chunkId, second?.bm25]]);
    index.close();
  });

  test('batch jobs are recorded, replaced and deleted', async () => {
    const index = await kind.newIndex();
    const job = { id: 'b1', identity: 'm', json: '{}', createdMs: 2 };
    await index.saveBatchJob(job);
    await index.saveBatchJob({ ...job, id: 'b0', createdMs: 1 });
    await index.saveBatchJob({ ...job, json: '[1]' });
    await index.saveBatchJob({ ...job, id: 'x', identity: 'n' });
    assert.equal(await index.batchJobs('m'), [
      { ...job, id: 'b0', createdMs: 1 },
      { ...job, json: '[1]' },
    ]);
    await index.removeBatchJob('b1');
    assert.equal(
      (await index.batchJobs('m')).map(({ id }) => id),
      ['b0'],
    );
    index.close();
  });

  test.run();
}
