import type { Connection } from '../../../sqlite/database.js';
import { reviveWritten } from './revive.js';
import { lowerWholeTo } from './spaces.js';

/** Follows the chunks that a change set takes away and brings, for the vectors' sake. */
export interface ChunkChanges {
  /** Whether chunks are to be written with the hash of their content. */
  readonly needsHashes: boolean;
  /** The chunks of a document are about to be deleted. */
  removing(documentId: number): void;
  /** A single chunk is about to be deleted. */
  removingChunk(chunkId: number): void;
  inserted(chunkId: number): void;
  /** To be called last, in the same transaction. */
  finish(): void;
}

/**
 * Costs nothing in an index without vectors.
 *
 * @param vectorsFollow whether that is about to change
 */
export function followChunks(database: Connection, vectorsFollow: boolean): ChunkChanges {
  const any = database.prepare('SELECT 1 FROM spaces LIMIT 1').get();
  if (any === undefined) {
    const nothing = (): void => undefined;
    return {
      needsHashes: vectorsFollow,
      removing: nothing,
      removingChunk: nothing,
      inserted: nothing,
      finish: nothing,
    };
  }
  const free = database.prepare(
    'INSERT OR IGNORE INTO freed_hashes SELECT hash FROM chunks WHERE document_id = ?',
  );
  const freeChunk = database.prepare(
    'INSERT OR IGNORE INTO freed_hashes SELECT hash FROM chunks WHERE id = ?',
  );
  let firstWritten = Number.POSITIVE_INFINITY;
  return {
    needsHashes: true,
    removing: (documentId) => free.run(documentId),
    removingChunk: (chunkId) => freeChunk.run(chunkId),
    // A new row gets the highest id plus one, which deleted rows may have had before.
    inserted: (chunkId) => {
      firstWritten = Math.min(firstWritten, chunkId);
    },
    finish() {
      if (!Number.isFinite(firstWritten)) return;
      lowerWholeTo(database, firstWritten);
      reviveWritten(database, firstWritten);
    },
  };
}
