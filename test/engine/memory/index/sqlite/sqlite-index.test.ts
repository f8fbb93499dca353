import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scoreBound } from '../../../../../src/engine/memory/index/bm25.js';
import type { SqliteIndex } from '../../../../../src/engine/memory/index/sqlite/sqlite-index.js';
import { contentOf } from '../../../../support/index-content.js';
import { backendOn, targetOf } from '../../../../support/memory.js';
import { folderOf } from '../../../../support/temp-folder.js';
import {
  apply,
  documentOf,
  openReadyIndex,
  putChange,
  removeChange,
} from '../../../../support/vector-index.js';

const test = suite('the SQLite index');

/** An index of two files, open for writing. */
async function twoFiles(): Promise<{ index: SqliteIndex; file: string }> {
  const target = targetOf(folderOf({ 'a.md': 'alpha', 'b.md': 'alpha beta' }).path);
  await backendOn(target).sync({});
  return { index: openReadyIndex(target.indexFile), file: target.indexFile };
}

test('a change set that fails halfway leaves nothing behind', async () => {
  const { index, file } = await twoFiles();
  const before = await contentOf(file, ['alpha', 'gamma']);
  const chunkOfNoLine = { startLine: Number.NaN, endLine: 1, headingPath: [], text: 'gamma' };
  const broken = { ...documentOf('z.md', []), chunks: [chunkOfNoLine] };
  const work = apply(
    index,
    removeChange('a.md'),
    putChange('c.md', 'gamma'),
    putChange('b.md', 'gamma'),
    { type: 'put', document: broken },
  );
  assert.instance(await work.catch((error: unknown) => error), Error);
  assert.equal(await contentOf(file, ['alpha', 'gamma']), before);
  index.close();
});

test('a put document replaces the one with the same key', async () => {
  const { index } = await twoFiles();
  await apply(index, putChange('a.md', 'gamma', 'delta'));
  const { documents, chunks } = await index.statistics();
  assert.equal([documents, chunks], [2, 3]);
  assert.equal(
    await index.lexicalCandidates('"alpha"', 10).then((found) => found.map((c) => c.path)),
    ['b.md'],
  );
  const [gamma] = await index.lexicalCandidates('"gamma"', 10);
  assert.equal(gamma?.headingPath, ['Title', 'Part']);
  index.close();
});

test('removing an unknown document, or putting none, is not a failure', async () => {
  const { index } = await twoFiles();
  await apply(index, removeChange('none.md'));
  await apply(index);
  assert.is((await index.statistics()).documents, 2);
  index.close();
});

test('headings and file name are searched too, and the text alone makes the chunk', async () => {
  const { index } = await twoFiles();
  await apply(index, putChange('road-map_2026.md', 'plain text'));
  for (const match of ['"part"', '"road"', '"map"', '"2026"', '"plain"']) {
    const [found] = await index.lexicalCandidates(match, 10);
    assert.equal([found?.path, found?.text], ['road-map_2026.md', 'plain text'], match);
  }
  index.close();
});

test('a long passage with an essential term does not outrank a short one that scores higher', async () => {
  const { index } = await twoFiles();
  const rest = Array.from({ length: 12 }, (_, at) => putChange(`rest-${at}.md`, 'other words'));
  const common = Array.from({ length: 9 }, (_, at) => putChange(`${at}.md`, 'gamma gamma gamma'));
  const long = putChange('long.md', `delta ${'more '.repeat(2000)}`);
  await apply(index, ...common, ...rest, long);
  const match = '"gamma" OR "delta"';
  const { chunks, frequencies } = await index.termStatistics(['"gamma"']);
  const essential = { match: '"delta"', scoreWithout: scoreBound(chunks, frequencies[0] ?? 0) };
  const [best] = await index.lexicalCandidates(match, 1, undefined, essential);
  assert.equal([best], await index.lexicalCandidates(match, 1));
  assert.is(best?.path, '0.md');
  // Above the bound, the passages with an essential term are the best.
  const fewer = { ...essential, scoreWithout: 0 };
  const [only] = await index.lexicalCandidates(match, 1, undefined, fewer);
  assert.is(only?.path, 'long.md');
  index.close();
});

test('a filter keeps sources and paths, in counts as in candidates', async () => {
  const { index } = await twoFiles();
  const path = (name: string): boolean => name === 'b.md';
  const sessions = { sources: ['sessions'] } as const;
  assert.equal(
    (await index.lexicalCandidates('"alpha"', 10, { path })).map((c) => c.path),
    ['b.md'],
  );
  assert.is(await index.countMatches('"alpha"', { path }), 1);
  assert.is(await index.countMatches('"alpha"', sessions), 0);
  assert.equal(await index.literalCandidates('alpha', 10, sessions), []);
  assert.is((await index.literalCandidates('ALPHA', 10)).length, 2);
  assert.equal(await index.literalCandidates('%', 10), []);
  index.close();
});

test('other work can run between the statements of a broad query', async () => {
  const { index } = await twoFiles();
  let turns = 0;
  let answered = false;
  const turn = (): void => {
    turns += 1;
    if (!answered) setImmediate(turn);
  };
  setImmediate(turn);
  await index.termStatistics(Array.from({ length: 20 }, (_, at) => `"word${at}"`));
  answered = true;
  assert.ok(turns >= 20, `${turns}`);
  index.close();
});

/** The fastest of a few rounds, in milliseconds. */
async function fastest(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return Math.min(...times);
}

test('a filter costs about as much as the search itself, however much it keeps', async () => {
  const { index } = await twoFiles();
  const texts = Array.from({ length: 200 }, (_, at) => `gamma ${at}`);
  const changes = Array.from({ length: 40 }, (_, at) => putChange(`${at}.md`, ...texts));
  await apply(index, ...changes);
  const plain = await fastest(() => index.lexicalCandidates('"gamma"', 24));
  const every = { path: () => true };
  const chunkIds = Array.from({ length: 8000 }, (_, at) => at + 3);
  const filtered = {
    candidates: await fastest(() => index.lexicalCandidates('"gamma"', 24, every)),
    kinds: await fastest(() => index.lexicalCandidates('"gamma"', 24, { kinds: ['markdown'] })),
    sources: await fastest(() => index.lexicalCandidates('"gamma"', 24, { sources: ['sessions'] })),
    count: await fastest(() => index.countMatches('"gamma"', every)),
    scores: await fastest(() => index.lexicalScores('"gamma"', chunkIds)),
  };
  assert.is((await index.lexicalScores('"gamma"', chunkIds)).size, 8000);
  // Where the search was done again for every passage it took hundreds of times as long.
  for (const [what, took] of Object.entries(filtered)) {
    assert.ok(took < Math.max(plain, 1) * 40, `${what}: ${took} ms, ${plain} ms without`);
  }
  index.close();
});

test('a filter changes no score and no order', async () => {
  const { index } = await twoFiles();
  const texts = Array.from({ length: 30 }, (_, at) => `gamma ${'gamma '.repeat(at % 7)}${at}`);
  await apply(index, putChange('x.md', ...texts), putChange('y.md', ...texts));
  const all = await index.lexicalCandidates('"gamma" OR "3"', 100);
  const kept = await index.lexicalCandidates('"gamma" OR "3"', 100, {
    path: (path) => path === 'y.md',
  });
  assert.equal(
    kept,
    all.filter(({ path }) => path === 'y.md'),
  );
  const top = await index.lexicalCandidates('"gamma"', 5, { path: (path) => path === 'y.md' });
  assert.is(top.length, 5);
  index.close();
});

test('a word in many chunks of some days is searched once', async () => {
  const { index } = await twoFiles();
  const texts = Array.from({ length: 8000 }, () => 'backup');
  await apply(index, putChange('2025-05-06.md', ...texts));
  const day = Date.UTC(2025, 4, 6) / 86_400_000;
  const days = { first: day, last: day };
  const question = { days, mustMatch: false, except: undefined, limit: 10, filter: {} };
  const timeOf = async (search: () => Promise<readonly unknown[]>): Promise<number> => {
    const started = performance.now();
    assert.is((await search()).length, 10);
    return performance.now() - started;
  };
  const match = '"backup"';
  const anyDay = await timeOf(() => index.lexicalCandidates(match, 10));
  const dated = await timeOf(() => index.datedCandidates({ ...question, match }));
  // Many times as long, if each chunk searches for the word again.
  assert.ok(dated < 8 * anyDay, `${dated} ms, and ${anyDay} ms on any day`);
  index.close();
});

test.run();
