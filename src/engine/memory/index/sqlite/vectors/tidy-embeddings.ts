import { type Connection, inWriteTransaction } from '../../../../sqlite/database.js';
import { queryColumn, runSql } from '../../../../sqlite/query.js';
import type { TidyOptions } from '../../embedding-records.js';
import { codeVectors, dropCodes, repairCodes } from './sign-codes.js';
import { allSpaces, raiseWholeTo, reviveSpace, type Space } from './spaces.js';

/** Deletes vectors that nothing uses, except for a cache of the most recently used ones. */
export function tidyEmbeddings(database: Connection, options: TidyOptions): void {
  const { keepIdentities, isSuperseded, cacheEntries, atMs } = options;
  inWriteTransaction(database, () => {
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
  });
}

function leaveSpace(database: Connection, space: Space, atMs: number): void {
  // The cache may drop any of its vectors from now on.
  runSql(database, 'UPDATE spaces SET in_use = 0, whole_to = 0 WHERE id = ?', space.id);
  dropCodes(database, space);
  runSql(
    database,
    'INSERT OR IGNORE INTO cached_embeddings SELECT id, ? FROM embeddings WHERE space_id = ?',
    atMs,
    space.id,
  );
}

/** Deletes the vectors of an abandoned space, cached ones included. */
function removeVectors(database: Connection, { id }: Space): void {
  const cached =
    'DELETE FROM cached_embeddings WHERE embedding_id IN (SELECT id FROM embeddings WHERE space_id = ?)';
  runSql(database, cached, id);
  runSql(database, 'DELETE FROM embeddings WHERE space_id = ?', id);
}

/** Moves vectors of deleted contents into the cache, unless another chunk uses them. */
function cacheFreed(database: Connection, atMs: number): void {
  const unused = `SELECT embeddings.id FROM freed_hashes
    CROSS JOIN embeddings ON space_id = ? AND embeddings.hash = freed_hashes.hash
    WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = freed_hashes.hash)`;
  const cache = database.prepare('INSERT OR IGNORE INTO cached_embeddings VALUES (?, ?)');
  const dequeue = database.prepare('DELETE FROM uncoded WHERE space_id = ? AND embedding_id = ?');
  for (const space of allSpaces(database).filter(({ inUse }) => inUse)) {
    for (const id of queryColumn<number>(database, unused, space.id)) {
      cache.run(id, atMs);
      dequeue.run(space.id, id);
    }
  }
  database.exec('DELETE FROM freed_hashes');
}

function pruneCache(database: Connection, entries: number): void {
  const oldest = queryColumn<number>(
    database,
    `SELECT embedding_id FROM cached_embeddings
     ORDER BY released_ms DESC, embedding_id DESC LIMIT -1 OFFSET ?`,
    entries,
  );
  const uncache = database.prepare('DELETE FROM cached_embeddings WHERE embedding_id = ?');
  const remove = database.prepare('DELETE FROM embeddings WHERE id = ?');
  for (const id of oldest) {
    uncache.run(id);
    remove.run(id);
  }
}

/** Deletes records of content that no chunk has any more, and of identities that are gone. */
function tidyRefused(database: Connection, keepIdentities: readonly string[]): void {
  runSql(
    database,
    `DELETE FROM refused_contents
     WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = refused_contents.hash)
       OR (identity NOT IN (SELECT identity FROM spaces)
         AND identity NOT IN (SELECT value FROM json_each(?)))`,
    JSON.stringify(keepIdentities),
  );
}

function removeIfEmpty(database: Connection, { id }: Space): void {
  runSql(
    database,
    `DELETE FROM spaces WHERE id = ?
       AND NOT EXISTS (SELECT 1 FROM embeddings WHERE space_id = spaces.id)
       AND NOT EXISTS (SELECT 1 FROM refused_contents WHERE identity = spaces.identity)`,
    id,
  );
}
