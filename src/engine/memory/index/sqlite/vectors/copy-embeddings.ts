import { type Connection, openDatabase } from '../../../../sqlite/database.js';
import { runSql } from '../../../../sqlite/query.js';
import { unlessSystemError } from '../../../../support/files.js';
import { isDamage } from '../index-file.js';
import { allSpaces, findSpace, hashChunks } from './spaces.js';

/** Whether a row is in the current format: older indexes have one vector of a whole passage. */
const IS_PACKED = `length(vector) % (4 +
  (SELECT dimensions FROM spaces WHERE spaces.id = embeddings.space_id)) = 0`;

/** Tables to copy, referenced ones first, and which of their rows. */
const TABLES: readonly (readonly [table: string, where: string])[] = [
  ['batch_jobs', 'true'],
  ['spaces', 'true'],
  ['embeddings', IS_PACKED],
  ['cached_embeddings', `embedding_id IN (SELECT id FROM embeddings WHERE ${IS_PACKED})`],
];

const BUSY_TIMEOUT_MS = 5000;
/** Rows in memory at once. */
const ROWS = 500;

/**
 * Copies all vectors of another index into one that has none. Unused contents are left for the next tidying.
 * From a damaged file whatever is readable is copied, because vectors were paid for.
 *
 * @param rename changes identities, so that their vectors no longer match the configured one
 */
export function copyEmbeddings(
  database: Connection,
  fromFile: string,
  rename?: (identity: string) => string,
): void {
  // A separate connection: attached, the old file would inherit the locking mode of the new one.
  const settings = { readonly: true, busyTimeoutMs: BUSY_TIMEOUT_MS };
  const source = unlessSystemError(() => openDatabase(fromFile, settings));
  if (source === undefined) return;
  try {
    database.transaction(() => {
      for (const [table, where] of TABLES) copyTable(source, database, table, where);
    })();
  } finally {
    source.close();
  }
  if (rename !== undefined) renameSpaces(database, rename);
  if (allSpaces(database).length === 0) return;
  hashChunks(database);
  database.exec(
    `UPDATE spaces SET whole_to = 0;
     INSERT OR IGNORE INTO uncoded SELECT space_id, embeddings.id FROM embeddings
       JOIN spaces ON spaces.id = space_id AND in_use
       WHERE embeddings.id NOT IN (SELECT embedding_id FROM cached_embeddings);
     INSERT OR IGNORE INTO freed_hashes SELECT hash FROM embeddings
       WHERE id NOT IN (SELECT embedding_id FROM cached_embeddings)`,
  );
}

/** If the new name exists from an earlier rename, the vectors are merged; newer ones win. */
function renameSpaces(database: Connection, rename: (identity: string) => string): void {
  const move = 'UPDATE OR REPLACE embeddings SET space_id = ? WHERE space_id = ?';
  database.transaction(() => {
    for (const { id, identity, dimensions, inUse } of allSpaces(database)) {
      const renamed = rename(identity);
      const earlier = findSpace(database, renamed);
      if (earlier === undefined) {
        runSql(database, 'UPDATE spaces SET identity = ? WHERE id = ?', renamed, id);
      }
      if (earlier === undefined || earlier.id === id) continue;
      // With another length, or out of use, they cannot stand in for this one.
      if (earlier.dimensions === dimensions && inUse) runSql(database, move, earlier.id, id);
      else runSql(database, 'DELETE FROM embeddings WHERE space_id = ?', id);
      runSql(database, 'DELETE FROM spaces WHERE id = ?', id);
    }
    database.exec(
      'DELETE FROM cached_embeddings WHERE embedding_id NOT IN (SELECT id FROM embeddings)',
    );
  })();
}

function copyTable(source: Connection, target: Connection, table: string, where: string): void {
  try {
    const read = source
      .prepare<[number], [number, ...unknown[]]>(
        `SELECT rowid, * FROM ${table} WHERE rowid > ? AND ${where} ORDER BY rowid LIMIT ${ROWS}`,
      )
      .raw();
    const places = Array.from(read.columns().slice(1), () => '?');
    const insert = target.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${places.join(', ')})`);
    for (let rows = read.all(0); rows.length > 0; rows = read.all(rows.at(-1)?.[0] ?? 0)) {
      for (const [, ...columns] of rows) insert.run(...columns);
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}
