import type { Connection } from '../../../sqlite/database.js';
import { type Compared, compareCoded } from './code-pages.js';
import type { Space } from './spaces.js';
import { bytesOf, cosine, floatsOf } from './vector-bytes.js';

/** An embedding and its similarity to the query. */
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
  /** Loads the vector extension on first use. */
  readonly hasExtension: () => boolean;
}

/** Up to this many are compared exactly, even if they have codes. */
const FEW = 4096;
/** For fewer vectors, loading the extension costs more than it saves. */
const WORTH_EXTENSION = 512;
/** Much more than the error of the extension's 32-bit sums. */
const ROUNDING = 1e-4;
/** Vectors compared before checking whether to stop. */
const BATCH = 256;

/**
 * The nearest vectors of a space, best first: `count` of them and ties with the last. Similarities are exact;
 * in a large space one in a few hundred of the nearest may be missed.
 */
export function nearest(
  database: Connection,
  request: NearestRequest,
  count: number,
): readonly Neighbour[] {
  const { query } = request;
  const { certain, promising } = candidatesFor(database, request, count);
  const isWorthIt = certain.length + promising.length > WORTH_EXTENSION;
  const compare = isWorthIt && request.hasExtension() ? compareInside : compareHere;
  let best: readonly Neighbour[] = [];
  const take = (ids: readonly number[]): void => {
    best = topNeighbours([...best, ...compare(database, ids, query)], count, ROUNDING);
  };
  for (const ids of batches(certain, BATCH)) take(ids);
  for (const batch of batches(promising, BATCH)) {
    const last = best[count - 1];
    if (last !== undefined && (batch[0]?.ceiling ?? 0) < last.similarity) break;
    take(batch.map(({ id }) => id));
  }
  // Final similarities are computed here, so that results do not depend on the extension.
  const ids = best.map(({ id }) => id);
  return topNeighbours(compareHere(database, ids, query), count, 0);
}

interface Promising {
  readonly id: number;
  /** Nearly always above the similarity. */
  readonly ceiling: number;
}

/** What to compare exactly: some in full, the others in order of promise until it is enough. */
function candidatesFor(
  database: Connection,
  { space, query, among }: NearestRequest,
  count: number,
): { readonly certain: readonly number[]; readonly promising: readonly Promising[] } {
  if (among !== undefined && among.length <= FEW) return { certain: among, promising: [] };
  const idsFrom = (table: 'embeddings' | 'uncoded', column: string): readonly number[] =>
    database
      .prepare<[number], number>(`SELECT ${column} FROM ${table} WHERE space_id = ?`)
      .pluck()
      .all(space.id);
  // A space out of use has no codes.
  const coded = space.inUse ? compareCoded(database, space, query) : undefined;
  if (coded === undefined) return { certain: among ?? idsFrom('embeddings', 'id'), promising: [] };
  const chosen = among === undefined ? undefined : new Set(among);
  const uncoded = idsFrom('uncoded', 'embedding_id');
  const met = new Set(uncoded);
  return {
    certain: uncoded.filter((id) => chosen === undefined || chosen.has(id)),
    // A vector in use again may also have its old code.
    promising: mostPromising(coded, chosen, count).filter(({ id }) => !met.has(id) && met.add(id)),
  };
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
): readonly Promising[] {
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
  const best: Promising[] = [];
  for (let at = 0; at < ids.length; at++) {
    if ((classes[at] ?? 0) < lowest) continue;
    best.push({ id: ids[at] ?? 0, ceiling: ceilings[at] ?? 0 });
  }
  return best.sort((a, b) => b.ceiling - a.ceiling);
}

const FROM_THESE = 'FROM json_each(?) CROSS JOIN embeddings ON embeddings.id = value';

/** Similarities computed by the extension. */
function compareInside(
  database: Connection,
  ids: readonly number[],
  query: Float32Array,
): readonly Neighbour[] {
  return (
    database
      .prepare<[Buffer, string], [number, number]>(
        `SELECT embeddings.id, vec_distance_L2(vector, ?) ${FROM_THESE}`,
      )
      .raw()
      .all(bytesOf(query), inOrder(ids))
      // Of unit vectors: |a - b|² = 2 - 2 a·b.
      .map(([id, distance]) => ({ id, similarity: 1 - (distance * distance) / 2 }))
  );
}

/** Similarities computed in JavaScript; unknown ids are left out. */
function compareHere(
  database: Connection,
  ids: readonly number[],
  query: Float32Array,
): readonly Neighbour[] {
  return database
    .prepare<[string], [number, Buffer]>(`SELECT embeddings.id, vector ${FROM_THESE}`)
    .raw()
    .all(inOrder(ids))
    .map(([id, bytes]) => ({ id, similarity: cosine(query, floatsOf(bytes)) }));
}

/** A JSON array in row order. */
function inOrder(ids: readonly number[]): string {
  return JSON.stringify([...ids].sort((a, b) => a - b));
}

function batches<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/** The nearest, best first, including near ties with the last. */
function topNeighbours(
  found: readonly Neighbour[],
  count: number,
  nearly: number,
): readonly Neighbour[] {
  const sorted = [...found].sort((a, b) => b.similarity - a.similarity);
  const last = sorted[count - 1]?.similarity;
  if (last === undefined) return sorted;
  return sorted.filter(({ similarity }) => similarity >= last - nearly);
}
