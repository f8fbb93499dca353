import type { Connection } from '../../../sqlite/database.js';
import type { IndexTerm } from '../candidates.js';

/**
 * The terms from `first` up to, but not including, `end`, in the order of their code points. Reads the entries of
 * each, so a range should be a small part of the index.
 */
export function termsBetween(database: Connection, first: string, end: string): IndexTerm[] {
  // A temporary table is possible on a database that is opened for reading.
  database.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab (main, chunks_fts, 'row')",
  );
  return database
    .prepare<[string, string], IndexTerm>(
      'SELECT term, doc AS chunks FROM temp.terms WHERE term >= ? AND term < ?',
    )
    .all(first, end);
}

/** The texts of some chunks that match a full-text expression, with their headings; the first ones in the index. */
export function someTexts(database: Connection, match: string, limit: number): string[] {
  return database
    .prepare<[string, number], string>(
      `SELECT chunks.heading_path || char(10) || chunks.text
       FROM (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT ?) AS found
       JOIN chunks ON chunks.id = found.rowid`,
    )
    .pluck()
    .all(match, limit);
}
