import type { Connection } from '../database.js';
import { type Neighbour, topNeighbours } from './neighbours.js';
import type { Space } from './spaces.js';
import { bytesOf, cosine, floatsOf } from './vector-bytes.js';

/** Vectors to compare one by one. */
export type Pool =
  | { readonly kind: 'these'; readonly ids: readonly number[] }
  /** The vectors of a space that have no code. */
  | { readonly kind: 'uncoded'; readonly space: Space }
  | { readonly kind: 'all'; readonly space: Space };

/** For fewer vectors the extension takes longer to load than it saves. */
const WORTH_EXTENSION = 512;
/** Far more than the extension's 32-bit sums can be off by. */
const ROUNDING = 1e-4;

/**
 * The vectors of a pool nearest to a query, best first: `count` of them and those as near as the
 * last, or all there are.
 *
 * With the extension it compares all and hands out no vector but the best; their similarities come
 * from here nevertheless, so that an answer is the same with it and without.
 *
 * @param query of length 1
 * @param hasExtension loads the extension, when it is worth while
 */
export function exactScan(
  database: Connection,
  pool: Pool,
  query: Float32Array,
  count: number,
  hasExtension: () => boolean,
): Neighbour[] {
  const large = sizeOf(database, pool) > WORTH_EXTENSION;
  const small = large && hasExtension() ? preselect(database, pool, query, count) : pool;
  const { from, value } = sourceOf(small);
  const rows = database
    .prepare<[number | string], [number, Buffer]>(`SELECT embeddings.id, vector FROM ${from}`)
    .raw();
  const found: Neighbour[] = [];
  for (const [id, bytes] of rows.iterate(value)) {
    found.push({ id, similarity: cosine(query, floatsOf(bytes)) });
  }
  return topNeighbours(found, count);
}

function preselect(database: Connection, pool: Pool, query: Float32Array, count: number): Pool {
  const { from, value } = sourceOf(pool);
  const found = database
    .prepare<[Buffer, number | string], [number, number]>(
      `SELECT embeddings.id, vec_distance_L2(vector, ?) FROM ${from}`,
    )
    .raw()
    .all(bytesOf(query), value)
    // Of unit vectors: |a - b|² = 2 - 2 a·b.
    .map(([id, distance]): Neighbour => ({ id, similarity: 1 - (distance * distance) / 2 }));
  const last = topNeighbours(found, count)[count - 1];
  const least = last === undefined ? Number.NEGATIVE_INFINITY : last.similarity - ROUNDING;
  const kept = found.filter(({ similarity }) => similarity >= least);
  return { kind: 'these', ids: kept.map(({ id }) => id) };
}

function sizeOf(database: Connection, pool: Pool): number {
  if (pool.kind === 'these') return pool.ids.length;
  const table = pool.kind === 'uncoded' ? 'uncoded' : 'embeddings';
  return (
    database
      .prepare<[number], number>(`SELECT count(*) FROM ${table} WHERE space_id = ?`)
      .pluck()
      .get(pool.space.id) ?? 0
  );
}

/** The FROM of a statement over a pool's embeddings, with the value for its one parameter. */
function sourceOf(pool: Pool): { readonly from: string; readonly value: number | string } {
  switch (pool.kind) {
    case 'these':
      return {
        from: 'json_each(?) CROSS JOIN embeddings ON embeddings.id = value',
        value: JSON.stringify(pool.ids),
      };
    case 'uncoded':
      return {
        from: 'uncoded CROSS JOIN embeddings ON id = embedding_id WHERE uncoded.space_id = ?',
        value: pool.space.id,
      };
    case 'all':
      return { from: 'embeddings NOT INDEXED WHERE space_id = ?', value: pool.space.id };
  }
}
