import type { Connection } from '../../sqlite/database.js';
import { dropCodes } from './vectors/code-pages.js';
import { codeVectors, mendCodes } from './vectors/code-vectors.js';
import { allSpaces } from './vectors/spaces.js';
import { tidyEmbeddings } from './vectors/tidy-embeddings.js';

/**
 * Takes out of the database file what was deleted from its tables: SQLite leaves the bytes of a row in
 * place until it needs the room.
 */
export interface Scrubber {
  /** Asks for it: the next sync reads every file again and then scrubs. One transaction. */
  request(): void;
  /** Whether a scrub was asked for and not finished. */
  isRequested(): boolean;
  /**
   * Forgets every vector that no passage uses, rewrites the file and empties its log. No transaction
   * may be open.
   *
   * @param atMs now, in milliseconds since the epoch
   * @returns false when another process reads the index: its log has to stay until the next try
   */
  scrub(atMs: number): boolean;
}

/** A scrubber of the database that a connection writes to. */
export function createScrubber(database: Connection): Scrubber {
  return {
    request: () => {
      database.transaction(() => {
        // A transcript that only grew would be read on from where it stopped: not by its hash.
        database.exec(
          `INSERT OR REPLACE INTO meta VALUES ('scrub', '1');
           UPDATE documents SET mtime_ms = -1, hash = iif(kind = 'transcript', '', hash);
           DELETE FROM tree`,
        );
      })();
    },
    isRequested: () =>
      database.prepare("SELECT 1 FROM meta WHERE key = 'scrub'").get() !== undefined,
    scrub: (atMs) => {
      forgetVectors(database, atMs);
      // Merged into one segment, the full-text index holds no words of rows that are gone.
      database.exec("INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')");
      database.exec('VACUUM');
      if (!emptyLog(database)) return false;
      database.exec("DELETE FROM meta WHERE key = 'scrub'");
      return true;
    },
  };
}

/** The cache says of no vector what text it was made of, so that all of it goes. */
function forgetVectors(database: Connection, atMs: number): void {
  const keepIdentities = allSpaces(database)
    .filter(({ inUse }) => inUse)
    .map(({ identity }) => identity);
  tidyEmbeddings(database, { keepIdentities, cacheEntries: 0, atMs });
  database.transaction(() => {
    for (const space of allSpaces(database)) {
      // A page keeps the codes of vectors that went, marked as such.
      const marked = database
        .prepare('SELECT 1 FROM code_pages WHERE space_id = ? AND live < used')
        .get(space.id);
      if (marked === undefined) continue;
      dropCodes(database, space);
      mendCodes(database, space);
      codeVectors(database, space, 'nothing is coming');
    }
  })();
}

/** Writes the log back into the file and cuts it to nothing. */
function emptyLog(database: Connection): boolean {
  // The first column of its one row is 1 when a reader stood in the way.
  return database.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
}
