import type { Connection } from '../../../../sqlite/database.js';
import { queryColumn, queryRows } from '../../../../sqlite/query.js';
import { evenSample, foundChunk, ranksOf, type VectorCandidate } from '../../candidates.js';
import { bestCosine, queryVector, requireDimensions } from '../../vector-bytes.js';
import type { VectorIndex } from '../../vector-index.js';
import {
  type CandidateRow,
  type Filtered,
  type FilterResult,
  restrictChunks,
  SELECT_CANDIDATE,
} from '../lexical-candidates.js';
import { readMeta } from '../read-documents.js';
import { type NearestRequest, type Neighbour, nearest } from './nearest.js';
import { findSpace, type Space } from './spaces.js';

/** Growth of the request when vectors turn out to belong to deleted chunks. */
const GROWTH = 4;

/** The questions of searches by vectors. @param hasExtension loads the vector extension on first use */
export function vectorQueries(
  database: Connection,
  filtered: Filtered,
  hasExtension: NearestRequest['hasExtension'],
) {
  const similarities = async (
    identity: string,
    vector: Float32Array,
    chunkIds: readonly number[],
  ): Promise<Map<number, number>> => {
    const space = findSpace(database, identity);
    if (space === undefined) return new Map();
    const query = queryVector(vector);
    const rows = queryRows<{ readonly id: number; readonly vector: Buffer }>(
      database,
      `SELECT chunks.id, vector FROM json_each(?)
       CROSS JOIN chunks ON chunks.id = value
       CROSS JOIN embeddings ON space_id = ? AND embeddings.hash = chunks.hash`,
      JSON.stringify(chunkIds),
      space.id,
    );
    return new Map(rows.map(({ id, vector: packed }) => [id, bestCosine(query, packed)]));
  };
  return {
    similarities,
    vectorCandidates: async (identity, vector, limit, filter) => {
      const kept = filtered(filter);
      const space = findSpace(database, identity);
      if (space === undefined) return [];
      requireDimensions(space.dimensions, vector.length);
      const query = queryVector(vector);
      // One transaction, for a consistent view while others write.
      const ask = database.transaction(() => {
        const among = kept === undefined ? undefined : embeddingsOf(database, space, kept);
        for (let count = limit; ; count *= GROWTH) {
          const neighbours = nearest(database, { space, query, among, hasExtension }, count);
          const candidates = chunksOf(database, neighbours, limit, kept);
          if (candidates.length >= limit || neighbours.length < count) return candidates;
        }
      });
      return ask();
    },
    // Texts and media apart, because models place media far from all texts.
    sampleSimilarities: async (identity, vector, count) => {
      const query = queryVector(vector);
      const isMixed = readMeta(database, 'media') === '1';
      // Hashes are random, and their order is that of an index.
      const texts = queryColumn<Buffer>(
        database,
        `SELECT vector FROM embeddings
         WHERE space_id = (SELECT id FROM spaces WHERE identity = ?)${isMixed ? NO_MEDIA : ''}
         ORDER BY hash LIMIT ?`,
        identity,
        count,
      );
      const all = isMixed
        ? queryColumn<number>(database, `SELECT chunks.id ${MEDIA} ORDER BY chunks.id`)
        : [];
      const media = await similarities(identity, vector, evenSample(all, count));
      return {
        texts: texts.map((packed) => bestCosine(query, packed)),
        media: [...media.values()],
        mediaChunks: new Set(all),
      };
    },
  } satisfies Partial<VectorIndex>;
}

function embeddingsOf(database: Connection, space: Space, { by, ids }: FilterResult): number[] {
  return queryColumn(
    database,
    `SELECT DISTINCT embeddings.id FROM json_each(?)
     CROSS JOIN chunks ON ${by === 'chunk' ? 'chunks.id' : 'chunks.document_id'} = value
     CROSS JOIN embeddings ON space_id = ? AND embeddings.hash = chunks.hash
     ORDER BY embeddings.id`,
    ids,
    space.id,
  );
}

function chunksOf(
  database: Connection,
  neighbours: readonly Neighbour[],
  limit: number,
  kept: FilterResult | undefined,
): VectorCandidate[] {
  const { ranks, scoreOf } = ranksOf(neighbours.map(({ similarity }) => similarity));
  const ranked = JSON.stringify(neighbours.map(({ id }, at) => [id, ranks[at]]));
  const rows = queryRows<Omit<CandidateRow, 'bm25'> & { readonly rank: number }>(
    database,
    `${SELECT_CANDIDATE}, ranked.value ->> 1 AS rank
     FROM json_each(@ranked) AS ranked
     CROSS JOIN embeddings ON embeddings.id = ranked.value ->> 0
     CROSS JOIN chunks ON chunks.hash = embeddings.hash
     CROSS JOIN documents ON documents.id = chunks.document_id
     WHERE true ${restrictChunks(kept)}
     ORDER BY rank, documents.path, chunks.start_line, chunks.id LIMIT @limit`,
    { ranked, limit, kept: kept?.ids },
  );
  return rows.map(({ rank, ...row }) => ({ ...foundChunk(row), similarity: scoreOf(rank) }));
}

const MEDIA = `
  FROM documents JOIN chunks ON document_id = documents.id WHERE kind = 'media'`;
const NO_MEDIA = ` AND hash NOT IN (SELECT chunks.hash ${MEDIA})`;
