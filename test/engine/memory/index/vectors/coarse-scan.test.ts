import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SqliteIndex } from '../../../../../src/engine/memory/index/sqlite-index.js';
import { BestEstimates } from '../../../../../src/engine/memory/index/vectors/best-estimates.js';
import { emptyPage, extendPage } from '../../../../../src/engine/memory/index/vectors/code-page.js';
import { createRotation } from '../../../../../src/engine/memory/index/vectors/rotation.js';
import {
  plainKernel,
  queryTables,
  type ScanKernel,
  wasmKernel,
} from '../../../../../src/engine/memory/index/vectors/scan-kernel.js';
import {
  bytesOf,
  cosine,
  unitVector,
} from '../../../../../src/engine/memory/index/vectors/vector-bytes.js';
import { openDatabase } from '../../../../../src/engine/sqlite/database.js';
import {
  apply,
  embedMissing,
  emptyIndexFile,
  openedIndex,
  putting,
  removing,
  seededRandom,
  textVector,
} from '../../../../support/vector-index.js';

const test = suite('codes of vectors');

/** Vectors that have much in common and one dimension that dominates, as embeddings do. */
function skewedVectors(count: number, dimensions: number, seed: number): Float32Array[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const vector = Float32Array.from({ length: dimensions }, (_, at) => {
      return (random() - 0.5) / (1 + at / 8) + (at === 1 ? 2 : 0.1);
    });
    return unitVector(vector);
  });
}

function rotated(vector: Float32Array): Float64Array {
  const rotation = createRotation(vector.length);
  const out = new Float64Array(rotation.width);
  rotation.rotate(vector, out);
  return out;
}

function product(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

test('a rotation keeps products and spreads a single dimension over all', () => {
  for (const dimensions of [3, 256, 384, 768, 1536]) {
    const [a, b] = skewedVectors(2, dimensions, 3);
    if (a === undefined || b === undefined) throw new Error('two vectors were asked for');
    const difference = product(rotated(a), rotated(b)) - product(a, b);
    assert.ok(Math.abs(difference) < 1e-6, `${dimensions}: ${difference}`);
    const axis = new Float32Array(dimensions);
    axis[1] = 1;
    const most = rotated(axis).reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    const even = 1 / Math.sqrt(rotated(axis).length);
    assert.ok(most < 7 * even, `${dimensions}: ${most}`);
  }
});

/** Slots and estimates of a page of vectors above a threshold, by one kernel. */
function scanned(
  kernel: ScanKernel,
  vectors: readonly Float32Array[],
  query: Float32Array,
  threshold: number,
  pagesBefore = 0,
): (readonly [number, number])[] {
  const rotation = createRotation(query.length);
  const codable = vectors.map((vector, at) => ({ id: at + 1, vector }));
  const page = extendPage(rotation, emptyPage(rotation, codable, pagesBefore), codable);
  const tables = queryTables(rotated(query), page.bytes);
  const stored = {
    slots: page.ids.length,
    scales: bytesOf(page.scales),
    offsets: bytesOf(page.offsets),
    codes: page.codes,
  };
  const hits = kernel.scan(stored, tables, product(rotated(query), page.centre), threshold);
  return Array.from({ length: hits }, (_, hit) => {
    return [kernel.slots[hit] ?? -1, kernel.estimates[hit] ?? 0] as const;
  });
}

test('both kernels say the same to the last bit', () => {
  const wasm = wasmKernel();
  if (wasm === undefined) throw new Error('WebAssembly has no vector instructions here');
  const plain = plainKernel();
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom(8, 256, 300, 768, 1024, 2000),
      fc.integer(),
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.constantFrom(0, 1000),
      (count, dimensions, seed, threshold, pages) => {
        const [query, ...vectors] = skewedVectors(count + 1, dimensions, seed);
        if (query === undefined) throw new Error('no query');
        const found = scanned(wasm, vectors, query, threshold, pages);
        assert.equal(found, scanned(plain, vectors, query, threshold, pages));
      },
    ),
    { numRuns: 60 },
  );
});

test('estimates are near the truth, and no empty slot is among them', () => {
  const [query, ...vectors] = skewedVectors(501, 768, 5);
  if (query === undefined) throw new Error('no query');
  const found = scanned(plainKernel(), vectors, query, Number.NEGATIVE_INFINITY);
  assert.is(found.length, 500);
  const errors = found.map(([slot, estimate]) => {
    return estimate - cosine(query, vectors[slot] ?? query);
  });
  const deviation = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / 500);
  assert.ok(deviation < 0.01, String(deviation));
});

test('the best estimates are those that sorting all would give', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 40 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 20 }),
      (pages, count) => {
        const best = new BestEstimates(count, count);
        for (const page of pages) {
          for (const value of page) if (value > best.threshold) best.add(value, value, 0);
          best.endPage();
        }
        const sorted = pages.flat().sort((a, b) => b - a);
        assert.equal(
          best.take().map(({ id }) => id),
          sorted.slice(0, count),
        );
      },
    ),
  );
});

const KEEP = { keepIdentities: ['m'], cacheEntries: 500, atMs: 5 };

/** How many of the ten nearest by comparing all are found, out of a number of questions. */
async function recall(index: SqliteIndex, texts: readonly string[]): Promise<number> {
  const questions = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
  let found = 0;
  for (const question of questions) {
    const query = textVector(question);
    const unit = unitVector(query);
    const nearest = texts
      .map((text) => ({ text, similarity: cosine(unit, unitVector(textVector(text))) }))
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

test('a large space finds what comparing all finds, through any changes', async () => {
  const file = emptyIndexFile();
  const index = openedIndex(file);
  const random = seededRandom(11);
  const held = new Map<number, number>();
  const texts = (): string[] => [...held].flatMap(([block, version]) => textsOf(block, version));
  for (let block = 0; block < BLOCKS; block++) {
    held.set(block, 0);
    await apply(index, putting(`${block}.md`, ...textsOf(block, 0)));
  }
  await embedMissing(index, 'm', textVector);
  for (let round = 1; round <= 12; round++) {
    const block = Math.floor(random() * BLOCKS);
    // Some rounds take a document away, some bring an old version back from the cache.
    if (random() < 0.4) {
      held.delete(block);
      await apply(index, removing(`${block}.md`));
    } else {
      const version = Math.floor(random() * 2);
      held.set(block, version);
      await apply(index, putting(`${block}.md`, ...textsOf(block, version)));
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

/** The pages of codes in an index: places taken, and those of them that count. */
function pagesOf(file: string): unknown[] {
  const database = openDatabase(file, { readonly: true, busyTimeoutMs: 1000 });
  const pages = database.prepare('SELECT used, live FROM code_pages ORDER BY id').all();
  database.close();
  return pages;
}

test('what goes away leaves its page, and a page that is half empty is given up', async () => {
  const file = emptyIndexFile();
  const index = openedIndex(file);
  for (let block = 0; block < 8; block++) {
    await apply(index, putting(`${block}.md`, ...textsOf(block, 0)));
  }
  await embedMissing(index, 'm', textVector);
  await index.tidyEmbeddings(KEEP);
  assert.equal(pagesOf(file), [{ used: 2000, live: 2000 }]);
  await apply(index, removing('0.md'));
  await index.tidyEmbeddings(KEEP);
  assert.equal(pagesOf(file), [{ used: 2000, live: 1750 }]);
  for (let block = 1; block < 5; block++) await apply(index, removing(`${block}.md`));
  await index.tidyEmbeddings(KEEP);
  assert.equal(pagesOf(file), [{ used: 750, live: 750 }]);
  const texts = [5, 6, 7].flatMap((block) => textsOf(block, 0));
  assert.ok((await recall(index, texts)) >= 0.98);
  index.close();
});

test('damaged codes cost time and no result, until tidying makes them anew', async () => {
  const file = emptyIndexFile();
  const index = openedIndex(file);
  const texts = Array.from({ length: 6 }, (_, block) => textsOf(block, 0)).flat();
  await apply(index, putting('a.md', ...texts));
  await embedMissing(index, 'm', textVector);
  await index.tidyEmbeddings(KEEP);
  const damages = [
    'UPDATE codes SET codes = substr(codes, 1, 100)',
    "UPDATE code_pages SET offsets = x'00'",
    "UPDATE code_pages SET centre = x''",
    'DELETE FROM codes',
    'DELETE FROM codes; DELETE FROM code_pages',
    'DELETE FROM uncoded',
  ];
  for (const damage of damages) {
    const database = openDatabase(file, { readonly: false, busyTimeoutMs: 1000 });
    database.pragma('foreign_keys = OFF');
    database.exec(damage);
    database.close();
    if (!damage.endsWith('pages') && !damage.endsWith('uncoded'))
      assert.is(await recall(index, texts), 1, damage);
    await index.tidyEmbeddings(KEEP);
    assert.ok((await recall(index, texts)) >= 0.98, damage);
  }
  index.close();
});

test.run();
