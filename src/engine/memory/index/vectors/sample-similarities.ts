import type { Connection } from '../database.js';
import type { Space } from './spaces.js';
import { cosine, floatsOf } from './vector-bytes.js';

/**
 * The cosines of a query to vectors spread evenly over a space: what is alike to it by chance.
 *
 * @param query unit length
 * @param count at most this many; all of a space that has no more
 */
export function sampleSimilarities(
  database: Connection,
  space: Space,
  query: Float32Array,
  count: number,
): number[] {
  const range = database
    .prepare<[], [number | null, number | null]>('SELECT min(id), max(id) FROM embeddings')
    .raw()
    .get();
  const [first, last] = [range?.[0] ?? 0, range?.[1] ?? 0];
  // Ids have few gaps, so ids at equal distances are vectors at nearly equal distances.
  const step = Math.max(1, (last - first + 1) / count);
  const ids = Array.from({ length: count }, (_, at) => Math.floor(first + at * step));
  const rows = database
    .prepare<[string, number], Buffer>(
      `SELECT vector FROM json_each(?) JOIN embeddings ON embeddings.id = value AND space_id = ?`,
    )
    .pluck()
    .all(JSON.stringify([...new Set(ids)].filter((id) => id <= last)), space.id);
  return rows.map((bytes) => cosine(query, floatsOf(bytes)));
}
