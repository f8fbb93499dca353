import type { Connection } from '../../../../sqlite/database.js';
import type { TidyOptions } from '../../embedding-records.js';
import { tidyRefused } from './embeddings.js';
import { codeVectors, dropCodes, repairCodes } from './sign-codes.js';
import { allSpaces, raiseWholeTo, reviveSpace, type Space } from './spaces.js';

/** Deletes vectors that nothing uses, except for a cache of the most recently used ones. */
export function tidyEmbeddings(database: Connection, options: TidyOptions): void {
  const { keepIdentities, isSuperseded, cacheEntries, atMs } = options;
  database.transaction(() => {
    for (const space of allSpaces(database)) {
      const kept = keepIdentities.includes(space.identity);
      if (kept && !space.inUse) reviveSpace(database, space);
      if (!kept && space.inUse) leaveSpace(database, space, atMs);
      if (!kept && isSuperseded?.(space.identity) === true) removeVectors(database, space);
    }
    cacheFreed(database, atMs);
    pruneCache(database, cacheEntries);
    tidyRefused(database, keepIdentities);
    for (const space of allSpaces(database)) {
      if (!keepIdentities.includes(space.identity)) {
        removeIfEmpty(database, space);
        continue;
      }
      repairCodes(database, space);
      codeVectors(database, space);
      raiseWholeTo(database, space);
    }
  })();
}

function leaveSpace(database: Connection, space: Space, atMs: number): void {
  // The cache may drop any of its vectors from now on.
  database.prepare('UPDATE spaces SET in_use = 0, whole_to = 0 WHERE id = ?').run(space.id);
  dropCodes(database, space);
  database
    .prepare(
      `INSERT INTO cached_embeddings SELECT id, ? FROM embeddings WHERE space_id = ?
       ON CONFLICT DO NOTHING`,
    )
    .run(atMs, space.id);
}

/** Deletes the vectors of an abandoned space, cached ones included. */
function removeVectors(database: Connection, { id }: Space): void {
  database
    .prepare(
      `DELETE FROM cached_embeddings
       WHERE embedding_id IN (SELECT id FROM embeddings WHERE space_id = ?)`,
    )
    .run(id);
  database.prepare('DELETE FROM embeddings WHERE space_id = ?').run(id);
}

/** Moves vectors of deleted contents into the cache, unless another chunk uses them. */
function cacheFreed(database: Connection, atMs: number): void {
  const unused = database
    .prepare<[number], number>(
      `SELECT embeddings.id FROM freed_hashes
       CROSS JOIN embeddings ON space_id = ? AND embeddings.hash = freed_hashes.hash
       WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = freed_hashes.hash)`,
    )
    .pluck();
  const cache = database.prepare(
    'INSERT INTO cached_embeddings VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const dequeue = database.prepare('DELETE FROM uncoded WHERE space_id = ? AND embedding_id = ?');
  for (const space of allSpaces(database).filter(({ inUse }) => inUse)) {
    for (const id of unused.all(space.id)) {
      cache.run(id, atMs);
      dequeue.run(space.id, id);
    }
  }
  database.exec('DELETE FROM freed_hashes');
}

function pruneCache(database: Connection, entries: number): void {
  const oldest = database
    .prepare<[number], number>(
      `SELECT embedding_id FROM cached_embeddings
       ORDER BY released_ms DESC, embedding_id DESC LIMIT -1 OFFSET ?`,
    )
    .pluck()
    .all(entries);
  const uncache = database.prepare('DELETE FROM cached_embeddings WHERE embedding_id = ?');
  const remove = database.prepare('DELETE FROM embeddings WHERE id = ?');
  for (const id of oldest) {
    uncache.run(id);
    remove.run(id);
  }
}

function removeIfEmpty(database: Connection, space: Space): void {
  database
    .prepare(
      `DELETE FROM spaces WHERE id = @id
       AND NOT EXISTS (SELECT 1 FROM embeddings WHERE space_id = @id)
       AND NOT EXISTS (SELECT 1 FROM refused_contents WHERE identity = spaces.identity)`,
    )
    .run({ id: space.id });
}
