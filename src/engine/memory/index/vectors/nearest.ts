import type { Connection } from '../../../sqlite/database.js';
import { type Compared, compareCoded } from './code-pages.js';
import type { Space } from './spaces.js';
import { bestCosine } from './vector-bytes.js';

/** A content and the similarity of its nearest piece to the query. */
export interface Neighbour {
  readonly id: number;
  /** Cosine. */
  readonly similarity: number;
}

export interface NearestRequest {
  readonly space: Space;
  /** Unit length. */
  readonly query: Float32Array;
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
    const rows = read.all(JSON.stringify(ids.slice(from, from + BATCH)));
    const compared = rows.map(([id, packed]) => {
      return { id, similarity: bestCosine(request.query, packed) };
    });
    best = topNeighbours([...best, ...compared], count);
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
  // A space out of use has no codes.
  const coded = space.inUse ? compareCoded(database, space, query) : undefined;
  if (coded === undefined) return among ?? idsFrom('embeddings', 'id');
  const chosen = among === undefined ? undefined : new Set(among);
  const uncoded = idsFrom('uncoded', 'embedding_id');
  const certain = uncoded.filter((id) => chosen === undefined || chosen.has(id));
  // A vector in use again may also have its old code.
  return new Set([...certain, ...mostPromising(coded, chosen, count)]);
}

/** Upper limit of exact comparisons: at least this many, */
const COMPARED = 1024;
/** or a share of the coded vectors, because large spaces have more near ties, */
const COMPARED_SHARE = 1 / 50;
/** or this many per requested result. */
const COMPARED_A_RESULT = 4;
/** Buckets of ceilings, to select the highest without sorting all. */
const CLASSES = 8192;

function mostPromising(
  { ids, ceilings }: Compared,
  chosen: ReadonlySet<number> | undefined,
  count: number,
): readonly number[] {
  const counts = new Uint32Array(CLASSES);
  const classes = new Uint16Array(ids.length);
  for (let at = 0; at < ids.length; at++) {
    if (chosen !== undefined && !chosen.has(ids[at] ?? 0)) continue;
    // Ceilings range from -2 to 2, beyond a cosine. Bucket 0 is for vectors that are not eligible.
    const place = ((ceilings[at] ?? 0) + 2) * (CLASSES / 4);
    const found = Math.max(1, Math.min(CLASSES - 1, Math.floor(place)));
    classes[at] = found;
    counts[found] = (counts[found] ?? 0) + 1;
  }
  let left = Math.max(COMPARED, ids.length * COMPARED_SHARE, count * COMPARED_A_RESULT);
  let lowest = CLASSES;
  while (left > 0 && lowest > 1) left -= counts[--lowest] ?? 0;
  return [...ids].filter((_, at) => (classes[at] ?? 0) >= lowest);
}

/** The nearest, best first, including ties with the last. */
function topNeighbours(found: readonly Neighbour[], count: number): readonly Neighbour[] {
  const sorted = [...found].sort((a, b) => b.similarity - a.similarity);
  const last = sorted[count - 1]?.similarity;
  if (last === undefined) return sorted;
  return sorted.filter(({ similarity }) => similarity >= last);
}
