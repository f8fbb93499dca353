import type { Connection } from '../../../sqlite/database.js';
import { CODE_BYTES, type Codable, type CodePage, PAGE_SLOTS, SignCoder } from './sign-codes.js';
import type { Space } from './spaces.js';
import { bytesOf, floatsOf, integersOf, meanVector } from './vector-bytes.js';

/**
 * The coded vectors of a space: embedding ids, and an upper bound of the similarity between a query and the mean
 * of each one's pieces.
 */
export interface Compared {
  readonly ids: Uint32Array;
  readonly ceilings: Float32Array;
}

interface PageRow {
  readonly centre: Buffer;
  readonly ids: Buffer;
  readonly factors: Buffer;
  readonly signs: Buffer;
}

/** Codes the uncoded vectors of a space, one full page at a time. The transaction is the caller's. */
export function codeVectors(database: Connection, space: Space): void {
  let pages = Math.floor(countUncoded(database, space) / PAGE_SLOTS);
  if (pages === 0) return;
  const coder = new SignCoder(space.dimensions);
  const take = database
    .prepare<[number], [number, Buffer]>(
      `SELECT embeddings.id, vector FROM uncoded CROSS JOIN embeddings ON embeddings.id = embedding_id
       WHERE uncoded.space_id = ? ORDER BY embedding_id LIMIT ${PAGE_SLOTS}`,
    )
    .raw();
  const insert = database.prepare('INSERT INTO code_pages VALUES (NULL, ?, ?, ?, ?, ?)');
  const dequeue = database.prepare('DELETE FROM uncoded WHERE space_id = ? AND embedding_id <= ?');
  for (; pages > 0; pages--) {
    const vectors = take.all(space.id).map(([id, bytes]): Codable => {
      return { id, vector: meanVector(bytes, space.dimensions) };
    });
    // A damaged file may have fewer than were counted.
    if (vectors.length < PAGE_SLOTS) return;
    const { centre, ids, factors, signs } = coder.encode(vectors);
    insert.run(space.id, ...[ids, centre, factors, signs].map(bytesOf));
    dequeue.run(space.id, vectors.at(-1)?.id);
  }
}

/** Compares all coded vectors of a space; undefined when its pages are damaged. */
export function compareCoded(
  database: Connection,
  space: Space,
  query: Float32Array,
): Compared | undefined {
  const pageIds = database
    .prepare<[number], number>('SELECT id FROM code_pages WHERE space_id = ? ORDER BY id')
    .pluck()
    .all(space.id);
  const ids = new Uint32Array(pageIds.length * PAGE_SLOTS);
  const ceilings = new Float32Array(ids.length);
  const coder = new SignCoder(space.dimensions);
  // One page in memory at a time. Not with an iterator: see keep-native-objects.ts.
  const read = database.prepare<[number], PageRow>(
    'SELECT centre, ids, factors, signs FROM code_pages WHERE id = ?',
  );
  for (const [at, pageId] of pageIds.entries()) {
    const row = read.get(pageId);
    const page = row === undefined ? undefined : pageOf(row);
    if (page === undefined || !coder.fits(page)) return undefined;
    ids.set(page.ids, at * PAGE_SLOTS);
    coder.compare(page, query, ceilings, at * PAGE_SLOTS);
  }
  return { ids, ceilings };
}

function pageOf({ centre, ids, factors, signs }: PageRow): CodePage {
  return {
    centre: floatsOf(centre),
    ids: integersOf(ids),
    factors: floatsOf(factors),
    signs: integersOf(signs),
  };
}

/** Deletes all codes of a space, and its queue of vectors to code. */
export function dropCodes(database: Connection, space: Space): void {
  database.prepare('DELETE FROM code_pages WHERE space_id = ?').run(space.id);
  database.prepare('DELETE FROM uncoded WHERE space_id = ?').run(space.id);
}

/** Share of codes of unused vectors above which all are recomputed. */
const MOST_DEAD = 1 / 4;

/**
 * Recomputes the codes of a space if they are damaged, or too many belong to unused vectors. Those slow
 * queries down a little but do not change results.
 */
export function repairCodes(database: Connection, space: Space, mostDead = MOST_DEAD): void {
  const { coded, broken, uncoded, used } = countCodes(database, space);
  const dead = coded + uncoded - used;
  if (broken === 0 && dead >= 0 && dead <= coded * mostDead) return;
  dropCodes(database, space);
  database
    .prepare(
      `INSERT INTO uncoded SELECT space_id, id FROM embeddings
       WHERE space_id = ? AND id NOT IN (SELECT embedding_id FROM cached_embeddings)`,
    )
    .run(space.id);
  codeVectors(database, space);
}

interface CodeCounts {
  readonly coded: number;
  /** Pages whose columns are inconsistent. */
  readonly broken: number;
  readonly uncoded: number;
  /** Vectors in use. */
  readonly used: number;
}

function countCodes(database: Connection, { id, dimensions }: Space): CodeCounts {
  const counts = database
    .prepare<[{ readonly id: number; readonly dimensions: number }], CodeCounts>(
      `SELECT count(*) * ${PAGE_SLOTS} AS coded,
         count(*) FILTER (WHERE length(centre) <> @dimensions * 4
           OR length(ids) <> ${PAGE_SLOTS} * 4 OR length(factors) <> ${PAGE_SLOTS} * 8
           OR length(signs) <> ${PAGE_SLOTS} * ${CODE_BYTES}) AS broken,
         (SELECT count(*) FROM uncoded WHERE space_id = @id) AS uncoded,
         (SELECT count(*) FROM embeddings WHERE space_id = @id
           AND id NOT IN (SELECT embedding_id FROM cached_embeddings)) AS used
       FROM code_pages WHERE space_id = @id`,
    )
    .get({ id, dimensions });
  if (counts === undefined) throw new Error('an aggregate has one row');
  return counts;
}

function countUncoded(database: Connection, space: Space): number {
  return (
    database
      .prepare<[number], number>('SELECT count(*) FROM uncoded WHERE space_id = ?')
      .pluck()
      .get(space.id) ?? 0
  );
}
