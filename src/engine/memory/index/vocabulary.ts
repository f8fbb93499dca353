import type { Connection } from '../../sqlite/database.js';

/** A word as it is in the full-text index: folded and stemmed. */
export interface IndexTerm {
  readonly term: string;
  /** How many chunks contain it. */
  readonly chunks: number;
}

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
