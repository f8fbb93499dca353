import type { Connection } from '../../../sqlite/database.js';
import type { Space } from './spaces.js';
import { floatsOf } from './vector-bytes.js';

/** The vectors of given chunks in a space; absent where there is none. */
export function chunkVectors(
  database: Connection,
  space: Space,
  chunkIds: readonly number[],
): Map<number, Float32Array> {
  const rows = database
    .prepare<[string, number], [number, Buffer]>(
      `SELECT chunks.id, vector FROM json_each(?)
       CROSS JOIN chunks ON chunks.id = value
       CROSS JOIN embeddings ON space_id = ? AND embeddings.hash = chunks.hash`,
    )
    .raw()
    .all(JSON.stringify(chunkIds), space.id);
  return new Map(rows.map(([id, bytes]) => [id, floatsOf(bytes)]));
}
