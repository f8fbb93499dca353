import type { Connection } from '../../../sqlite/database.js';
import type { Space } from './spaces.js';

/** Takes vectors out of the cache that chunks from this id on use again. */
export function reviveWritten(database: Connection, firstWritten: number): void {
  revive(
    database,
    database
      .prepare<[number], CachedRow>(
        `SELECT DISTINCT space_id, embeddings.id FROM chunks
         CROSS JOIN spaces ON spaces.in_use
         CROSS JOIN embeddings ON space_id = spaces.id AND embeddings.hash = chunks.hash
         CROSS JOIN cached_embeddings ON embedding_id = embeddings.id
         WHERE chunks.id >= ?`,
      )
      .raw()
      .all(firstWritten),
  );
}

/** Puts a space that was left into use again, with those of its vectors that chunks use. */
export function reviveSpace(database: Connection, space: Space): void {
  database.prepare('UPDATE spaces SET in_use = 1 WHERE id = ?').run(space.id);
  revive(
    database,
    database
      .prepare<[number], CachedRow>(
        `SELECT space_id, id FROM embeddings WHERE space_id = ?
           AND EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = embeddings.hash)`,
      )
      .raw()
      .all(space.id),
  );
}

/** Space and embedding. */
type CachedRow = readonly [number, number];

function revive(database: Connection, rows: readonly CachedRow[]): void {
  const uncache = database.prepare('DELETE FROM cached_embeddings WHERE embedding_id = ?');
  const enqueue = database.prepare('INSERT OR IGNORE INTO uncoded VALUES (?, ?)');
  for (const [spaceId, id] of rows) {
    uncache.run(id);
    enqueue.run(spaceId, id);
  }
}
