import type { Statement } from 'better-sqlite3';
import type { Connection } from '../../../sqlite/database.js';
import { type Neighbour, topNeighbours } from './neighbours.js';
import { bytesOf, cosine, floatsOf } from './vector-bytes.js';

/** For fewer vectors the extension takes longer to load than it saves. */
const WORTH_EXTENSION = 512;
/** Far more than the extension's 32-bit sums can be off by. */
const ROUNDING = 1e-4;
/** Vectors that are in memory at once. */
const BATCH = 512;

/** Compares vectors one by one with a query. */
export class ExactScan {
  private readonly database: Connection;
  private readonly hasExtension: () => boolean;
  private readonly vectors: Statement<[string], [number, Buffer]>;
  private distances: Statement<[Buffer, string], [number, number]> | undefined;

  /** @param hasExtension loads the vector extension on first use */
  constructor(database: Connection, hasExtension: () => boolean) {
    this.database = database;
    this.hasExtension = hasExtension;
    this.vectors = database
      .prepare<[string], [number, Buffer]>(`SELECT embeddings.id, vector ${FROM_THESE}`)
      .raw();
  }

  /**
   * Those of some embeddings that are nearest to a query, best first: `count` of them and those as
   * near as the last, or all there are. Ids that no embedding has are left out.
   *
   * With the extension it compares all and hands out no vector but the best; their similarities come
   * from here nevertheless, so that an answer is the same with it and without.
   *
   * @param query of length 1
   */
  nearest(ids: readonly number[], query: Float32Array, count: number): Neighbour[] {
    const large = ids.length > WORTH_EXTENSION;
    const few = large && this.hasExtension() ? this.preselect(ids, query, count) : ids;
    let best: Neighbour[] = [];
    for (const these of batches(few)) {
      const compared = this.vectors.all(these).map(([id, bytes]): Neighbour => {
        return { id, similarity: cosine(query, floatsOf(bytes)) };
      });
      best = topNeighbours([...best, ...compared], count);
    }
    return best;
  }

  private preselect(ids: readonly number[], query: Float32Array, count: number): number[] {
    this.distances ??= this.database
      .prepare<[Buffer, string], [number, number]>(
        `SELECT embeddings.id, vec_distance_L2(vector, ?) ${FROM_THESE}`,
      )
      .raw();
    const bytes = bytesOf(query);
    const found: Neighbour[] = [];
    for (const these of batches(ids)) {
      for (const [id, distance] of this.distances.all(bytes, these)) {
        // Of unit vectors: |a - b|² = 2 - 2 a·b.
        found.push({ id, similarity: 1 - (distance * distance) / 2 });
      }
    }
    const last = topNeighbours(found, count)[count - 1];
    const least = last === undefined ? Number.NEGATIVE_INFINITY : last.similarity - ROUNDING;
    return found.filter(({ similarity }) => similarity >= least).map(({ id }) => id);
  }
}

const FROM_THESE = 'FROM json_each(?) CROSS JOIN embeddings ON embeddings.id = value';

/** In the order of the rows, as JSON arrays. Not by one iterator: see keep-native-objects.ts. */
function* batches(ids: readonly number[]): Generator<string> {
  const sorted = [...ids].sort((a, b) => a - b);
  for (let from = 0; from < sorted.length; from += BATCH) {
    yield JSON.stringify(sorted.slice(from, from + BATCH));
  }
}
