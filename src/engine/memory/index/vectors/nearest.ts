import type { Connection } from '../database.js';
import type { Space } from './spaces.js';
import { cosine, vectorOfBytes } from './vector-bytes.js';

/** An embedding and how near it is to the query. */
export interface Neighbour {
  readonly id: number;
  /** Cosine. */
  readonly similarity: number;
}

/**
 * The vectors of a space nearest to a query, best first: `count` of them and those as near as the
 * last, or all there are.
 *
 * @param query of length 1
 * @param among ids of the embeddings to choose from; all that are in use when undefined
 */
export function nearest(
  database: Connection,
  space: Space,
  query: Float32Array,
  count: number,
  among: readonly number[] | undefined,
): Neighbour[] {
  const found: Neighbour[] = [];
  for (const [id, bytes] of vectorRows(database, space, among)) {
    found.push({ id, similarity: cosine(query, vectorOfBytes(bytes)) });
  }
  found.sort((a, b) => b.similarity - a.similarity);
  const last = found[count - 1]?.similarity;
  return last === undefined ? found : found.filter(({ similarity }) => similarity >= last);
}

type VectorRow = readonly [id: number, bytes: Buffer];

function vectorRows(
  database: Connection,
  space: Space,
  among: readonly number[] | undefined,
): IterableIterator<VectorRow> {
  if (among !== undefined) {
    return database
      .prepare<[string], VectorRow>(
        'SELECT embeddings.id, vector FROM json_each(?) CROSS JOIN embeddings ON embeddings.id = value',
      )
      .raw()
      .iterate(JSON.stringify(among));
  }
  const from = space.inUse
    ? 'uncoded CROSS JOIN embeddings ON id = embedding_id WHERE uncoded.space_id = ?'
    : 'embeddings WHERE space_id = ?';
  return database
    .prepare<[number], VectorRow>(`SELECT id, vector FROM ${from}`)
    .raw()
    .iterate(space.id);
}
