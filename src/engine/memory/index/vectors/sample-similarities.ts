import type { Connection } from '../../../sqlite/database.js';
import type { MediaSample } from '../media-index.js';
import { holdsMedia } from '../sync-mark.js';
import { chunkVectors } from './chunk-vectors.js';
import type { Space } from './spaces.js';
import { cosine, floatsOf } from './vector-bytes.js';

/**
 * The cosines of a query to texts spread evenly over a space: what is alike to it by chance. Media
 * are left out: models put them at a distance from all texts.
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
    .prepare<[], [number | null, number | null]>(
      // Two lookups; asked for together, SQLite would read the whole table.
      'SELECT (SELECT min(id) FROM embeddings), (SELECT max(id) FROM embeddings)',
    )
    .raw()
    .get();
  const [first, last] = [range?.[0] ?? 0, range?.[1] ?? 0];
  // Ids have few gaps, so ids at equal distances are vectors at nearly equal distances.
  const step = Math.max(1, (last - first + 1) / count);
  const ids = Array.from({ length: count }, (_, at) => Math.floor(first + at * step));
  const rows = database
    .prepare<[string, number], Buffer>(
      `SELECT vector FROM json_each(?) CROSS JOIN embeddings
         ON embeddings.id = value AND +space_id = ?${holdsMedia(database) ? NO_MEDIA : ''}`,
    )
    .pluck()
    .all(JSON.stringify([...new Set(ids)].filter((id) => id <= last)), space.id);
  return rows.map((bytes) => cosine(query, floatsOf(bytes)));
}

const NO_MEDIA = `
  AND hash NOT IN (SELECT chunks.hash FROM documents JOIN chunks ON document_id = documents.id
    WHERE kind = 'media')`;

/** The same for media, with the chunks of all of them. */
export function sampleMedia(
  database: Connection,
  space: Space | undefined,
  query: Float32Array,
  count: number,
): MediaSample {
  if (!holdsMedia(database)) return { chunkIds: new Set(), similarities: [] };
  const all = database
    .prepare<[], number>(
      `SELECT chunks.id FROM documents JOIN chunks ON document_id = documents.id
       WHERE kind = 'media' ORDER BY chunks.id`,
    )
    .pluck()
    .all();
  const step = Math.max(1, all.length / count);
  const some = Array.from(
    { length: Math.min(count, all.length) },
    (_, at) => all[Math.floor(at * step)],
  );
  const ids = some.filter((id) => id !== undefined);
  const vectors = space === undefined ? [] : [...chunkVectors(database, space, ids).values()];
  return { chunkIds: new Set(all), similarities: vectors.map((vector) => cosine(query, vector)) };
}
