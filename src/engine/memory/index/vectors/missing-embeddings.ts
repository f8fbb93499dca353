import type { Connection } from '../database.js';
import { headingPathOf } from '../lexical-text.js';
import type { MissingEmbedding, VectorSpaceStatistics } from '../memory-index.js';
import { contentHash } from './content-hash.js';
import { findSpace, WITHOUT_VECTOR } from './spaces.js';

interface MissingRow {
  readonly chunkId: number;
  /** Null while the index has no vectors at all. */
  readonly hash: Buffer | null;
  readonly headings: string;
  readonly text: string;
}

/** Chunks after an id without a vector under an identity; of equal contents the first alone. */
export function missingEmbeddings(
  database: Connection,
  identity: string,
  after: number,
  limit: number,
): MissingEmbedding[] {
  const space = findSpace(database, identity);
  const values = { space: space?.id ?? 0, after: Math.max(after, space?.wholeTo ?? 0), limit };
  const rows = database
    .prepare<[typeof values], MissingRow>(
      `SELECT chunks.id AS chunkId, chunks.hash, heading_path AS headings, text
       ${WITHOUT_VECTOR} ORDER BY chunks.id LIMIT @limit`,
    )
    .all(values);
  const seen = new Set<string>();
  const firsts: MissingEmbedding[] = [];
  for (const { chunkId, headings, text, hash: stored } of rows) {
    const hash = stored ?? contentHash(headings, text);
    const name = hash.toString('latin1');
    if (seen.has(name)) continue;
    seen.add(name);
    firsts.push({ chunkId, hash, headingPath: headingPathOf(headings), text });
  }
  return firsts;
}

/** How many chunks have no vector under an identity. */
export function countMissing(database: Connection, identity: string): number {
  const space = findSpace(database, identity);
  const values = { space: space?.id ?? 0, after: space?.wholeTo ?? 0 };
  return (
    database
      .prepare<[typeof values], number>(`SELECT count(*) ${WITHOUT_VECTOR}`)
      .pluck()
      .get(values) ?? 0
  );
}

/** What is kept in each space. */
export function spaceStatistics(database: Connection): VectorSpaceStatistics[] {
  return database
    .prepare<[], VectorSpaceStatistics>(
      `SELECT identity, dimensions,
         (SELECT count(*) FROM chunks WHERE hash IN (
           SELECT hash FROM embeddings WHERE space_id = spaces.id)) AS chunks,
         (SELECT count(*) FROM embeddings WHERE space_id = spaces.id
           AND hash NOT IN (SELECT hash FROM chunks)) AS cached,
         (SELECT count(*) FROM chunks WHERE hash IN (
           SELECT hash FROM refused_contents WHERE space_id = spaces.id)) AS refused
       FROM spaces ORDER BY id`,
    )
    .all();
}
