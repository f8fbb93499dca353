import type { Connection } from '../../../sqlite/database.js';
import type { Chunk, DocumentKey } from '../../types.js';
import { headingPathOf } from '../lexical-text.js';
import { lineNumbersOf } from '../line-numbers.js';
import type { VectorCandidate } from '../memory-index.js';
import type { NearestVectors } from './nearest.js';
import type { Neighbour } from './neighbours.js';
import type { Space } from './spaces.js';

/** Some vectors may belong to chunks that are gone; then so many times more are asked for. */
const GROWTH = 4;

/**
 * The chunks nearest to a query, best first; ties by path and line.
 *
 * @param query of length 1
 * @param documents JSON array of the ids of the documents to search; undefined for all
 */
export function vectorCandidates(
  database: Connection,
  nearest: NearestVectors,
  space: Space,
  query: Float32Array,
  limit: number,
  documents: string | undefined,
): VectorCandidate[] {
  const among = documents === undefined ? undefined : embeddingsOf(database, space, documents);
  for (let count = limit; ; count *= GROWTH) {
    const found = nearest.find(space, query, count, among);
    const candidates = chunksOf(database, found, limit, documents);
    if (candidates.length >= limit || found.length < count) return candidates;
  }
}

function embeddingsOf(database: Connection, space: Space, documents: string): number[] {
  return database
    .prepare<[string, number], number>(
      `SELECT DISTINCT embeddings.id FROM json_each(?)
       CROSS JOIN chunks ON chunks.document_id = value
       CROSS JOIN embeddings ON space_id = ? AND embeddings.hash = chunks.hash
       ORDER BY embeddings.id`,
    )
    .pluck()
    .all(documents, space.id);
}

interface ChunkRow extends Omit<Chunk, 'headingPath' | 'lineNumbers'>, DocumentKey {
  readonly chunkId: number;
  readonly headingPath: string;
  readonly lineNumbers: string | null;
  readonly rank: number;
}

/** The chunks that have these vectors. */
function chunksOf(
  database: Connection,
  found: readonly Neighbour[],
  limit: number,
  documents: string | undefined,
): VectorCandidate[] {
  // Equal similarities share a rank, so that the database can order ties by path as it does
  // elsewhere, and no similarity passes through its text.
  const similarities = [...new Set(found.map(({ similarity }) => similarity))];
  const rankOf = new Map(similarities.map((similarity, rank) => [similarity, rank]));
  const ranked = found.map(({ id, similarity }) => [id, rankOf.get(similarity)]);
  const restriction =
    documents === undefined
      ? ''
      : 'WHERE documents.id IN (SELECT value FROM json_each(@documents))';
  const rows = database
    .prepare<[Record<string, unknown>], ChunkRow>(
      `SELECT chunks.id AS chunkId, documents.source, documents.path, start_line AS startLine,
         end_line AS endLine, heading_path AS headingPath, text,
         line_numbers AS lineNumbers, ranked.value ->> 1 AS rank
       FROM json_each(@ranked) AS ranked
       CROSS JOIN embeddings ON embeddings.id = ranked.value ->> 0
       CROSS JOIN chunks ON chunks.hash = embeddings.hash
       CROSS JOIN documents ON documents.id = chunks.document_id
       ${restriction}
       ORDER BY rank, documents.path, chunks.start_line, chunks.id LIMIT @limit`,
    )
    .all({
      ranked: JSON.stringify(ranked),
      limit,
      ...(documents === undefined ? {} : { documents }),
    });
  return rows.map(({ rank, headingPath, lineNumbers, ...row }) => ({
    ...row,
    headingPath: headingPathOf(headingPath),
    lineNumbers: lineNumbersOf(lineNumbers),
    similarity: similarities[rank] ?? 0,
  }));
}
