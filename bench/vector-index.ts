import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';
import type { MemoryIndex } from '../src/engine/memory/index/memory-index.js';
import { documentOf, openReadyIndex } from '../test/support/vector-index.js';
import { IDENTITY, RESULT_COUNT } from './vector-names.js';

const CHUNKS_A_DOCUMENT = 100;
const DOCUMENTS_A_CHANGE = 100;
const PUT = 256;

/** The true nearest neighbors of some queries, collected while vectors are generated. */
export class Truth {
  readonly queries: readonly Float32Array[];
  private readonly best: { id: number; similarity: number }[][];

  constructor(queries: readonly Float32Array[]) {
    this.queries = queries;
    this.best = queries.map(() => []);
  }

  add(id: number, vector: Float32Array): void {
    for (const [at, query] of this.queries.entries()) {
      const best = this.best[at] ?? [];
      let similarity = 0;
      for (let d = 0; d < vector.length; d++) similarity += (vector[d] ?? 0) * (query[d] ?? 0);
      const last = best[RESULT_COUNT - 1];
      if (last !== undefined && last.similarity >= similarity) continue;
      best.push({ id, similarity });
      best.sort((a, b) => b.similarity - a.similarity);
      best.length = Math.min(best.length, RESULT_COUNT);
    }
  }

  /** Recall of a query's true nearest neighbors, 0 to 1. */
  recall(query: number, found: readonly number[]): number {
    const best = this.best[query] ?? [];
    return best.filter(({ id }) => found.includes(id)).length / best.length;
  }
}

/** Fills an index with short chunks. */
export async function fillChunks(file: string, count: number): Promise<void> {
  const index = openReadyIndex(file);
  for (let from = 0; from < count; from += CHUNKS_A_DOCUMENT * DOCUMENTS_A_CHANGE) {
    const changes = Array.from({ length: DOCUMENTS_A_CHANGE }, (_, at) => {
      const first = from + at * CHUNKS_A_DOCUMENT;
      const texts = Array.from(
        { length: Math.max(0, Math.min(CHUNKS_A_DOCUMENT, count - first)) },
        (__, n) => `chunk ${first + n + 1}`,
      );
      return { type: 'put', document: documentOf(`${first}.md`, texts) } as const;
    });
    await index.apply({ atMs: 1, vectorsFollow: true, changes });
  }
  index.close();
}

/** Stores a vector for every chunk. @returns milliseconds in the index, and separately for tidying */
export async function fillVectors(
  file: string,
  next: () => Float32Array,
  truth: Truth | undefined,
): Promise<{ readonly putMs: number; readonly tidyMs: number }> {
  const index = openReadyIndex(file);
  let putMs = 0;
  let after = 0;
  for (;;) {
    const missing = await index.missingEmbeddings(IDENTITY, after, PUT);
    const last = missing.at(-1);
    if (last === undefined) break;
    after = last.chunkId;
    const entries = missing.map(({ hash, chunkId }) => {
      const vector = next();
      truth?.add(chunkId, vector);
      return { hash, vectors: [vector] };
    });
    const started = performance.now();
    await index.putEmbeddings(IDENTITY, entries);
    putMs += performance.now() - started;
  }
  const started = performance.now();
  await index.tidyEmbeddings({ keepIdentities: [IDENTITY], cacheEntries: 0, atMs: 1 });
  const tidyMs = performance.now() - started;
  index.close();
  return { putMs, tidyMs };
}

/** Write baseline: the same vectors in a plain table, in transactions of the same size. */
export function rawInsertMs(file: string, count: number, next: () => Float32Array): number {
  closeSync(openSync(file, 'w'));
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.exec('CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB)');
  const insert = database.prepare('INSERT INTO vectors (vector) VALUES (?)');
  let spent = 0;
  for (let from = 0; from < count; from += PUT) {
    const vectors = Array.from({ length: Math.min(PUT, count - from) }, next);
    const started = performance.now();
    database.transaction(() => {
      for (const { buffer } of vectors) insert.run(Buffer.from(buffer));
    })();
    spent += performance.now() - started;
  }
  database.close();
  return spent;
}

/** sqlite-vec's exact table. */
export class Vec0 {
  private readonly database: Database.Database;
  private readonly dimensions: number;

  constructor(file: string, dimensions: number) {
    this.database = new Database(file);
    this.database.loadExtension(getLoadablePath());
    this.dimensions = dimensions;
  }

  fill(count: number, next: () => Float32Array): void {
    this.database.pragma('journal_mode = WAL');
    this.database.pragma('synchronous = OFF');
    this.database.exec(
      `CREATE VIRTUAL TABLE vectors USING vec0(v float[${this.dimensions}] distance_metric=cosine)`,
    );
    const insert = this.database.prepare('INSERT INTO vectors (v) VALUES (?)');
    this.database.transaction(() => {
      for (let at = 0; at < count; at++) insert.run(Buffer.from(next().buffer));
    })();
  }

  search(query: Float32Array): number[] {
    return this.database
      .prepare<[Buffer, number], number>('SELECT rowid FROM vectors WHERE v MATCH ? AND k = ?')
      .pluck()
      .all(Buffer.from(query.buffer), RESULT_COUNT);
  }

  close(): void {
    this.database.close();
  }
}

/** IDs of the chunks nearest to a query. */
export async function nearestChunks(index: MemoryIndex, query: Float32Array): Promise<number[]> {
  const found = await index.vectorCandidates(IDENTITY, query, RESULT_COUNT);
  return found.map(({ chunkId }) => chunkId);
}
