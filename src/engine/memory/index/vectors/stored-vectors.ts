import type { Connection } from '../../../sqlite/database.js';
import type { IdPage, StoredEmbedding } from '../memory-index.js';
import { findSpace } from './spaces.js';
import { floatsOf } from './vector-bytes.js';

/** A page of the vectors of an identity that chunks of notes use, by id. */
export function storedVectors(
  database: Connection,
  identity: string,
  { after, limit }: IdPage,
): StoredEmbedding[] {
  const space = findSpace(database, identity);
  if (space === undefined) return [];
  return database
    .prepare<[number, number, number], [number, Buffer, Buffer]>(
      `SELECT id, hash, vector FROM embeddings WHERE space_id = ? AND id > ? AND EXISTS (
         SELECT 1 FROM chunks JOIN documents ON documents.id = document_id
         WHERE chunks.hash = embeddings.hash AND source = 'memory'
       ) ORDER BY id LIMIT ?`,
    )
    .raw()
    .all(space.id, after, limit)
    .map(([id, hash, vector]) => ({ id, hash, vector: floatsOf(vector) }));
}
