import type { Connection } from '../../../../sqlite/database.js';
import { queryRow, queryRows, runSql } from '../../../../sqlite/query.js';
import { contentHash } from '../../content-hash.js';
import { requireDimensions } from '../../vector-bytes.js';

/** Hashes chunks that were written while the index had no vectors. */
export function hashChunks(database: Connection): void {
  database.function('content_hash', { deterministic: true }, (headings, text) => {
    return contentHash(String(headings), String(text));
  });
  database.exec(
    `UPDATE chunks SET hash = content_hash(heading_path, text) WHERE hash IS NULL;
     CREATE INDEX IF NOT EXISTS chunks_by_hash ON chunks (hash)`,
  );
}

/** A row of `spaces`. */
export interface Space {
  readonly id: number;
  readonly identity: string;
  readonly dimensions: number;
  /** 1, or 0 for an abandoned identity. */
  readonly inUse: number;
  /** Every chunk up to this id has a vector. */
  readonly wholeTo: number;
}

const SELECT_SPACE =
  'SELECT id, identity, dimensions, in_use AS inUse, whole_to AS wholeTo FROM spaces';

/** All spaces, oldest first. */
export function allSpaces(database: Connection): Space[] {
  return queryRows(database, `${SELECT_SPACE} ORDER BY id`);
}

/** The space of an identity, if it exists. */
export function findSpace(database: Connection, identity: string): Space | undefined {
  return queryRow(database, `${SELECT_SPACE} WHERE identity = ?`, identity);
}

/** The space of an identity, created if missing. @throws SvcError PROVIDER_ANSWER_INVALID */
export function ensureSpace(database: Connection, identity: string, dimensions: number): Space {
  if (allSpaces(database).length === 0) hashChunks(database);
  const sql = 'INSERT OR IGNORE INTO spaces (identity, dimensions) VALUES (?, ?)';
  runSql(database, sql, identity, dimensions);
  const space = findSpace(database, identity);
  if (space === undefined) throw new Error('a row that was just written is not there');
  requireDimensions(space.dimensions, dimensions);
  return space;
}

/** The end of a statement: chunks that have no vector in a space and were not refused. */
export const WITHOUT_VECTOR = `
  FROM chunks WHERE chunks.id > @after AND NOT EXISTS (
    SELECT 1 FROM embeddings WHERE space_id = @space AND embeddings.hash = chunks.hash
  ) AND NOT EXISTS (
    SELECT 1 FROM refused_contents AS refused
    WHERE refused.identity = @identity AND refused.hash = chunks.hash
  )`;

/** Raises `whole_to` to the last chunk before the first without a vector. */
export function raiseWholeTo(database: Connection, space: Space): void {
  runSql(
    database,
    `UPDATE spaces SET whole_to = coalesce(
       (SELECT chunks.id - 1 ${WITHOUT_VECTOR} ORDER BY chunks.id LIMIT 1),
       (SELECT max(id) FROM chunks), 0)
     WHERE id = @space`,
    { space: space.id, identity: space.identity, after: space.wholeTo },
  );
}

/** Chunks from this id on were written, so their vectors may be missing. */
export function lowerWholeTo(database: Connection, firstWritten: number): void {
  const sql = 'UPDATE spaces SET whole_to = ? WHERE whole_to >= ?';
  runSql(database, sql, firstWritten - 1, firstWritten);
}

/** Takes vectors out of the cache that chunks from this id on use again. */
export function reviveWritten(database: Connection, firstWritten: number): void {
  revive(
    database,
    `SELECT DISTINCT space_id AS space, embeddings.id FROM chunks
     CROSS JOIN spaces ON spaces.in_use
     CROSS JOIN embeddings ON space_id = spaces.id AND embeddings.hash = chunks.hash
     CROSS JOIN cached_embeddings ON embedding_id = embeddings.id
     WHERE chunks.id >= ?`,
    firstWritten,
  );
}

/** Puts a space back into use, with the vectors that chunks use. */
export function reviveSpace(database: Connection, space: Space): void {
  runSql(database, 'UPDATE spaces SET in_use = 1 WHERE id = ?', space.id);
  revive(
    database,
    `SELECT space_id AS space, id FROM embeddings WHERE space_id = ?
       AND EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = embeddings.hash)`,
    space.id,
  );
}

/** @param select the spaces and ids of the embeddings */
function revive(database: Connection, select: string, value: number): void {
  const rows = queryRows<{ readonly space: number; readonly id: number }>(database, select, value);
  const uncache = database.prepare('DELETE FROM cached_embeddings WHERE embedding_id = ?');
  const enqueue = database.prepare('INSERT OR IGNORE INTO uncoded VALUES (?, ?)');
  for (const { space, id } of rows) {
    uncache.run(id);
    enqueue.run(space, id);
  }
}
