import type { Connection } from '../../../../sqlite/database.js';
import { queryColumn, queryRows } from '../../../../sqlite/query.js';
import {
  evenSample,
  foundChunk,
  mostSimilar,
  ranksOf,
  type VectorCandidate,
} from '../../candidates.js';
import {
  bestCosine,
  type QueryVector,
  queryBytes,
  queryVector,
  requireDimensions,
} from '../../vector-bytes.js';
import type { VectorIndex } from '../../vector-index.js';
import {
  type CandidateRow,
  type Filtered,
  type FilterResult,
  restrictChunks,
  SELECT_CANDIDATE,
} from '../lexical-candidates.js';
import { readMeta } from '../read-documents.js';
import { nearestCodes } from './sign-codes.js';
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

/** A content and the similarity of its nearest piece to the query. */
interface Neighbour {
  readonly id: number;
  /** Cosine. */
  readonly similarity: number;
}

interface NearestRequest {
  readonly space: Space;
  readonly query: QueryVector;
  /** Ids of the embeddings to choose from; undefined for all in use. */
  readonly among: readonly number[] | undefined;
  /** Loads the vector extension on first use. */
  readonly hasExtension: () => boolean;
}

/** Up to this many are compared exactly, even if they have codes. */
const FEW = 4096;
/** Rows in memory at once. */
const BATCH = 1024;
/** For fewer contents, loading the extension costs more than it saves. */
const WORTH_EXTENSION = 512;
/** The extension compares bytes, which may change the places of near ties: so many more are compared here. */
const SPARE = 64;

/**
 * The nearest contents of a space, by their nearest piece, best first: `count` of them and ties with the last.
 * Similarities are exact; in a large space, where codes of whole contents choose what is compared, one in a few
 * hundred of the nearest may be missed.
 */
function nearest(
  database: Connection,
  request: NearestRequest,
  count: number,
): readonly Neighbour[] {
  const read = database
    .prepare<[string], [number, Buffer]>(
      'SELECT embeddings.id, vector FROM json_each(?) CROSS JOIN embeddings ON embeddings.id = value',
    )
    .raw();
  const all = [...candidatesFor(database, request, count)];
  const isWorthIt = all.length > WORTH_EXTENSION + count && request.hasExtension();
  const chosen = isWorthIt ? nearestInside(database, all, request.query, count + SPARE) : all;
  const ids = chosen.sort((a, b) => a - b);
  let best: readonly Neighbour[] = [];
  for (let from = 0; from < ids.length; from += BATCH) {
    const least = best[count - 1]?.similarity ?? -1;
    const near: Neighbour[] = [];
    for (const [id, packed] of read.all(JSON.stringify(ids.slice(from, from + BATCH)))) {
      const similarity = bestCosine(request.query, packed);
      if (similarity >= least) near.push({ id, similarity });
    }
    best = mostSimilar([...best, ...near], count);
  }
  return best;
}

/** The nearest by the extension: compared inside SQLite, so that thousands of rows need not be read. */
function nearestInside(
  database: Connection,
  ids: readonly number[],
  query: QueryVector,
  count: number,
): number[] {
  return queryColumn(
    database,
    `SELECT embeddings.id FROM json_each(@ids) AS one
     CROSS JOIN embeddings ON embeddings.id = one.value
     ORDER BY ${NEAREST_PIECE} LIMIT @count`,
    {
      ids: JSON.stringify(ids.toSorted((a, b) => a - b)),
      dimensions: query.length,
      query: queryBytes(query),
      count,
    },
  );
}

/**
 * The distance of a content's nearest piece, of up to four (see MOST_PIECES in embedding/passages.ts). Written out,
 * because a join with the pieces takes twice as long.
 */
const NEAREST_PIECE = `CASE length(vector) / (4 + @dimensions)
  WHEN 1 THEN ${distance(1, 0)}
  WHEN 2 THEN min(${distance(2, 0)}, ${distance(2, 1)})
  WHEN 3 THEN min(${distance(3, 0)}, ${distance(3, 1)}, ${distance(3, 2)})
  WHEN 4 THEN min(${distance(4, 0)}, ${distance(4, 1)}, ${distance(4, 2)}, ${distance(4, 3)})
  ELSE 2 END`;

/** The distance of one of a content's pieces; see packVectors for where it is. */
function distance(pieces: number, piece: number): string {
  const at = `${1 + 4 * pieces} + ${piece} * @dimensions`;
  return `vec_distance_cosine(vec_int8(@query), vec_int8(substr(vector, ${at}, @dimensions)))`;
}

function candidatesFor(
  database: Connection,
  { space, query, among }: NearestRequest,
  count: number,
): Iterable<number> {
  if (among !== undefined && among.length <= FEW) return among;
  const idsFrom = (table: 'embeddings' | 'uncoded', column: string): readonly number[] =>
    queryColumn(database, `SELECT ${column} FROM ${table} WHERE space_id = ?`, space.id);
  const chosen = among === undefined ? undefined : new Set(among);
  // A space out of use has no codes.
  const coded = space.inUse
    ? nearestCodes(database, { space, query, among: chosen }, count)
    : undefined;
  if (coded === undefined) return among ?? idsFrom('embeddings', 'id');
  const uncoded = idsFrom('uncoded', 'embedding_id');
  // A content in use again may also have its old code.
  return new Set([...uncoded.filter((id) => chosen?.has(id) ?? true), ...coded]);
}
