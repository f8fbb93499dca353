import { type Connection, inWriteTransaction } from '../../../sqlite/database.js';
import { repairCodes } from './vectors/sign-codes.js';
import { allSpaces } from './vectors/spaces.js';
import { tidyEmbeddings } from './vectors/tidy-embeddings.js';

export function requestScrub(database: Connection): void {
  inWriteTransaction(database, () => {
    // A transcript that only grew would be resumed, regardless of its hash.
    database.exec(
      `INSERT OR REPLACE INTO meta VALUES ('scrub', '1');
       UPDATE documents SET mtime_ms = -1, hash = iif(kind = 'transcript', '', hash);
       DELETE FROM tree`,
    );
  });
}

/**
 * Erases deleted data from the file: SQLite leaves a deleted row's bytes in place until it reuses the space. While
 * another process reads the index, its log stays until the next try. No transaction may be open.
 */
export function scrub(database: Connection, atMs: number): void {
  forgetVectors(database, atMs);
  // Merged into one segment, the full-text index has no words of deleted rows.
  database.exec("INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')");
  database.exec('VACUUM');
  // Writes the log back into the file and truncates it; 1 when a reader blocked it.
  const isBlocked = database.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0;
  if (!isBlocked) database.exec("DELETE FROM meta WHERE key = 'scrub'");
}

/** Deletes the whole cache, because it is not known which text a cached vector is of. */
function forgetVectors(database: Connection, atMs: number): void {
  const keepIdentities = allSpaces(database)
    .filter(({ inUse }) => inUse)
    .map(({ identity }) => identity);
  tidyEmbeddings(database, { keepIdentities, cacheEntries: 0, atMs });
  inWriteTransaction(database, () => {
    // Pages still contain codes of deleted vectors.
    for (const space of allSpaces(database)) if (space.inUse) repairCodes(database, space, 0);
  });
}
