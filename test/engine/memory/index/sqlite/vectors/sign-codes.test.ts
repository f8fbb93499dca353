import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../../../../../src/engine/eval/random.js';
import type { MemoryIndex } from '../../../../../../src/engine/memory/index/memory-index.js';
import {
  bestCosine,
  packVectors,
  queryVector,
  unitVector,
} from '../../../../../../src/engine/memory/index/vector-bytes.js';
import { openDatabase } from '../../../../../../src/engine/sqlite/database.js';
import {
  apply,
  embedMissing,
  emptyIndexFile,
  openReadyIndex,
  putChange,
  removeChange,
  textVector as vectorOf,
} from '../../../../../support/vector-index.js';

const test = suite('codes of vectors');

/** Enough dimensions for vectors to have codes. */
const DIMENSIONS = 128;

function textVector(text: string): Float32Array {
  return vectorOf(text, DIMENSIONS);
}

const KEEP = { keepIdentities: ['m'], cacheEntries: 500, atMs: 5 };

/** How many of the ten nearest by comparing all are found, out of a number of questions. */
async function recall(index: MemoryIndex, texts: readonly string[]): Promise<number> {
  const questions = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
  const stored = texts.map((text) => {
    return { text, packed: packVectors([unitVector(textVector(text))]) };
  });
  let found = 0;
  for (const question of questions) {
    const query = textVector(question);
    const unit = queryVector(query);
    const nearest = stored
      .map(({ text, packed }) => ({ text, similarity: bestCosine(unit, packed) }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, 10);
    const candidates = await index.vectorCandidates('m', query, 10);
    const named = new Set(candidates.map(({ text }) => text));
    for (const { text, similarity } of nearest) {
      if (!named.has(text)) continue;
      found += 1;
      assert.is(candidates.find((candidate) => candidate.text === text)?.similarity, similarity);
    }
  }
  return found / (questions.length * 10);
}

const BLOCKS = 24;

function textsOf(block: number, version: number): string[] {
  return Array.from({ length: 250 }, (_, at) => `${block} ${version} ${at}`);
}

test('a large index finds the same as a full comparison, through any changes', async () => {
  const file = emptyIndexFile();
  const index = openReadyIndex(file);
  const random = seededRandom(11);
  const held = new Map<number, number>();
  const texts = (): string[] => [...held].flatMap(([block, version]) => textsOf(block, version));
  for (let block = 0; block < BLOCKS; block++) {
    held.set(block, 0);
    await apply(index, putChange(`${block}.md`, ...textsOf(block, 0)));
  }
  await embedMissing(index, 'm', textVector);
  for (let round = 1; round <= 12; round++) {
    const block = Math.floor(random() * BLOCKS);
    // Some rounds take a document away, some bring an old version back from the cache.
    if (random() < 0.4) {
      held.delete(block);
      await apply(index, removeChange(`${block}.md`));
    } else {
      const version = Math.floor(random() * 2);
      held.set(block, version);
      await apply(index, putChange(`${block}.md`, ...textsOf(block, version)));
      await embedMissing(index, 'm', textVector);
    }
    if (random() < 0.6) await index.tidyEmbeddings({ ...KEEP, atMs: round });
    assert.is(await index.countMissingEmbeddings('m'), 0);
    if (round % 4 === 0) assert.ok((await recall(index, texts())) >= 0.98, `round ${round}`);
  }
  const one = (path: string): boolean => path === `${[...held.keys()][0]}.md`;
  const few = await index.vectorCandidates('m', textVector('one'), 400, { path: one });
  assert.is(few.length, 250);
  const half = (path: string): boolean => Number.parseInt(path, 10) % 2 === 0;
  const many = await index.vectorCandidates('m', textVector('one'), 30, { path: half });
  assert.is(many.length, 30);
  assert.ok(many.every(({ path }) => half(path)));
  index.close();
});

/** Codes in a page, and the bytes of each: an id, and a bit for each dimension. */
const PAGE_SLOTS = 256;
const CODE_BYTES = 4 + DIMENSIONS / 8;

/** How many codes are in the pages of an index. */
function codedIn(file: string): number {
  const database = openDatabase(file, { readonly: true, busyTimeoutMs: 1000 });
  const bytes = database.prepare<[], number>('SELECT total(length(codes)) FROM code_pages');
  const coded = (bytes.pluck().get() ?? 0) / CODE_BYTES;
  database.close();
  return coded;
}

test('codes of removed chunks are not results, and are rebuilt when there are many', async () => {
  const file = emptyIndexFile();
  const index = openReadyIndex(file);
  for (let block = 0; block < 9; block++) {
    await apply(index, putChange(`${block}.md`, ...textsOf(block, 0)));
  }
  await embedMissing(index, 'm', textVector);
  await index.tidyEmbeddings(KEEP);
  assert.is(codedIn(file), 8 * PAGE_SLOTS);
  await apply(index, removeChange('0.md'));
  await index.tidyEmbeddings(KEEP);
  assert.is(codedIn(file), 8 * PAGE_SLOTS);
  const left = (from: number): string[] =>
    [0, 1, 2, 3, 4, 5, 6, 7, 8].slice(from).flatMap((block) => textsOf(block, 0));
  assert.ok((await recall(index, left(1))) >= 0.98);
  for (const block of [1, 2, 3]) await apply(index, removeChange(`${block}.md`));
  await index.tidyEmbeddings(KEEP);
  assert.is(codedIn(file), 4 * PAGE_SLOTS);
  assert.ok((await recall(index, left(4))) >= 0.98);
  index.close();
});

test('a vector restored from the cache is found once, before and after it has a new code', async () => {
  const file = emptyIndexFile();
  const index = openReadyIndex(file);
  const put = async (block: number): Promise<void> => {
    await apply(index, putChange(`${block}.md`, ...textsOf(block, 0)));
    await embedMissing(index, 'm', textVector);
  };
  const found = async (limit: number): Promise<readonly number[]> =>
    (await index.vectorCandidates('m', textVector('one'), limit)).map(({ chunkId }) => chunkId);
  for (let block = 0; block < 5; block++) await put(block);
  await apply(index, removeChange('1.md'));
  await index.tidyEmbeddings(KEEP);
  assert.is((await found(5000)).length, 1000);
  await put(1);
  assert.is(new Set(await found(5000)).size, (await found(5000)).length);
  assert.is((await found(5000)).length, 1250);
  for (let block = 5; block < 9; block++) await put(block);
  assert.is(codedIn(file), 9 * PAGE_SLOTS);
  assert.is(new Set(await found(2000)).size, (await found(2000)).length);
  assert.is((await found(5000)).length, 2250);
  index.close();
});

test('damaged codes cost time but no results, until tidying rebuilds them', async () => {
  const file = emptyIndexFile();
  const index = openReadyIndex(file);
  const texts = Array.from({ length: 6 }, (_, block) => textsOf(block, 0)).flat();
  await apply(index, putChange('a.md', ...texts));
  await embedMissing(index, 'm', textVector);
  await index.tidyEmbeddings(KEEP);
  const damages = [
    'UPDATE code_pages SET codes = substr(codes, 1, 100)',
    "UPDATE code_pages SET codes = x''",
    'UPDATE code_pages SET codes = zeroblob(length(codes) + 4)',
    'DELETE FROM code_pages',
    'DELETE FROM uncoded',
  ];
  for (const damage of damages) {
    const database = openDatabase(file, { readonly: false, busyTimeoutMs: 1000 });
    database.pragma('foreign_keys = OFF');
    database.exec(damage);
    database.close();
    if (!damage.startsWith('DELETE')) assert.is(await recall(index, texts), 1, damage);
    await index.tidyEmbeddings(KEEP);
    assert.ok((await recall(index, texts)) >= 0.98, damage);
  }
  index.close();
});

test.run();
