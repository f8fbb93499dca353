import type { Connection } from '../../../sqlite/database.js';
import { worthComparing } from './sign-codes.js';
import type { Space } from './spaces.js';
import { bestCosine, type QueryVector } from './vector-bytes.js';

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
}

/** Up to this many are compared exactly, even if they have codes. */
const FEW = 4096;
/** Rows in memory at once. */
const BATCH = 1024;

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
  const ids = [...candidatesFor(database, request, count)].sort((a, b) => a - b);
  let best: readonly Neighbour[] = [];
  for (let from = 0; from < ids.length; from += BATCH) {
    const least = best[count - 1]?.similarity ?? -1;
    const near: Neighbour[] = [];
    for (const [id, packed] of read.all(JSON.stringify(ids.slice(from, from + BATCH)))) {
      const similarity = bestCosine(request.query, packed);
      if (similarity >= least) near.push({ id, similarity });
    }
    best = topNeighbours([...best, ...near], count);
  }
  return best;
}

/** The ids to compare exactly. */
function candidatesFor(
  database: Connection,
  { space, query, among }: NearestRequest,
  count: number,
): Iterable<number> {
  if (among !== undefined && among.length <= FEW) return among;
  const idsFrom = (table: 'embeddings' | 'uncoded', column: string): readonly number[] =>
    database
      .prepare<[number], number>(`SELECT ${column} FROM ${table} WHERE space_id = ?`)
      .pluck()
      .all(space.id);
  const chosen = among === undefined ? undefined : new Set(among);
  // A space out of use has no codes.
  const coded = space.inUse
    ? worthComparing(database, { space, query, among: chosen, count })
    : undefined;
  if (coded === undefined) return among ?? idsFrom('embeddings', 'id');
  const uncoded = idsFrom('uncoded', 'embedding_id');
  // A content in use again may also have its old code.
  return new Set([...uncoded.filter((id) => chosen?.has(id) ?? true), ...coded]);
}

/** The nearest, best first, including ties with the last. */
function topNeighbours(found: readonly Neighbour[], count: number): readonly Neighbour[] {
  const sorted = [...found].sort((a, b) => b.similarity - a.similarity);
  const last = sorted[count - 1]?.similarity;
  if (last === undefined) return sorted;
  return sorted.filter(({ similarity }) => similarity >= last);
}
