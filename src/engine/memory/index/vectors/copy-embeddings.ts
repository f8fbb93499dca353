import { type Connection, openDatabase } from '../../../sqlite/database.js';
import { isDamage } from '../index-error.js';
import { hashChunks } from './content-hash.js';
import { allSpaces } from './spaces.js';

/** Tables that are copied as they stand, those that others refer to first. */
const TABLES = ['batch_jobs', 'spaces', 'embeddings', 'cached_embeddings'] as const;

const BUSY_TIMEOUT_MS = 5000;
/** Rows that are in memory at once. Not by one iterator: see keep-native-objects.ts. */
const ROWS = 500;

/**
 * Copies all vectors of another index into one that has none. Contents that no chunk uses here are
 * left for the next tidying to find. A file without vectors gives none, and a damaged one what can
 * be read of it: a vector was paid for.
 */
export function copyEmbeddings(database: Connection, fromFile: string): void {
  const source = openSource(fromFile);
  if (source === undefined) return;
  try {
    database.transaction(() => {
      for (const table of TABLES) copyTable(source, database, table);
    })();
  } finally {
    source.close();
  }
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

/** A connection of its own: attached, the old file would get the locking mode of the new one. */
function openSource(file: string): Connection | undefined {
  try {
    return openDatabase(file, { readonly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  } catch {
    return undefined;
  }
}

function copyTable(source: Connection, target: Connection, table: (typeof TABLES)[number]): void {
  try {
    const read = source
      .prepare<[number], [number, ...unknown[]]>(
        `SELECT rowid, * FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${ROWS}`,
      )
      .raw();
    const places = read
      .columns()
      .slice(1)
      .map(() => '?');
    const insert = target.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${places.join(', ')})`);
    let rows = read.all(0);
    while (rows.length > 0) {
      for (const [, ...columns] of rows) insert.run(...columns);
      rows = read.all(rows.at(-1)?.[0] ?? 0);
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}
