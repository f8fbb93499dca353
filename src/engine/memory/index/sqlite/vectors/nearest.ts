import type { Connection } from '../../../../sqlite/database.js';
import { queryColumn } from '../../../../sqlite/query.js';
import { mostSimilar } from '../../candidates.js';
import { bestCosine, type QueryVector, queryBytes } from '../../vector-bytes.js';
import { nearestCodes } from './sign-codes.js';
import type { Space } from './spaces.js';

/** A content and the similarity of its nearest piece to the query. */
export interface Neighbour {
  readonly id: number;
  /** Cosine. */
  readonly similarity: number;
}

export interface NearestRequest {
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
export function nearest(
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
