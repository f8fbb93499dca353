import type { Connection } from '../../../sqlite/database.js';
import { FORGET_LIST, readMeta, writeMeta } from './read-documents.js';
import { repairCodes } from './vectors/sign-codes.js';
import { allSpaces } from './vectors/spaces.js';
import { tidyEmbeddings } from './vectors/tidy-embeddings.js';

/**
 * Erases deleted data from the database file: SQLite leaves a deleted row's bytes in place until it reuses the space.
 */
export interface Scrubber {
  /** Requests a scrub: the next sync reads every file again, then scrubs. One transaction. */
  request(): void;
  /** Notes the forget list by which files are read from now on. @param mark see forgetMark */
  noteList(mark: string): void;
  /** Whether a scrub was requested and has not completed. */
  isRequested(): boolean;
  /**
   * Deletes every unused vector, rewrites the file and empties its log. No transaction may be open.
   *
   * @returns false when another process reads the index: its log stays until the next try
   */
  scrub(atMs: number): boolean;
}

export function createScrubber(database: Connection): Scrubber {
  return {
    request: () => {
      database.transaction(() => {
        // A transcript that only grew would be resumed, regardless of its hash.
        database.exec(
          `INSERT OR REPLACE INTO meta VALUES ('scrub', '1');
           UPDATE documents SET mtime_ms = -1, hash = iif(kind = 'transcript', '', hash);
           DELETE FROM tree`,
        );
      })();
    },
    noteList: (mark) => writeMeta(database, FORGET_LIST, mark),
    isRequested: () => readMeta(database, 'scrub') !== undefined,
    scrub: (atMs) => {
      forgetVectors(database, atMs);
      // Merged into one segment, the full-text index has no words of deleted rows.
      database.exec("INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')");
      database.exec('VACUUM');
      if (!emptyLog(database)) return false;
      database.exec("DELETE FROM meta WHERE key = 'scrub'");
      return true;
    },
  };
}

/** Deletes the whole cache, because a cached vector does not tell which text it came from. */
function forgetVectors(database: Connection, atMs: number): void {
  const keepIdentities = allSpaces(database)
    .filter(({ inUse }) => inUse)
    .map(({ identity }) => identity);
  tidyEmbeddings(database, { keepIdentities, cacheEntries: 0, atMs });
  database.transaction(() => {
    // Pages still contain codes of deleted vectors.
    for (const space of allSpaces(database)) if (space.inUse) repairCodes(database, space, 0);
  })();
}

/** Writes the log back into the file and truncates it. */
function emptyLog(database: Connection): boolean {
  // The first column of its row is 1 when a reader blocked it.
  return database.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
}
