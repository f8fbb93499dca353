import type { Connection } from '../../../sqlite/database.js';
import type { Estimate } from './best-estimates.js';
import { coarseScan } from './coarse-scan.js';
import { hasPages } from './code-pages.js';
import { ExactScan } from './exact-scan.js';
import { type Neighbour, topNeighbours } from './neighbours.js';
import { createRotation } from './rotation.js';
import { createScanKernel, type ScanKernel } from './scan-kernel.js';
import type { Space } from './spaces.js';

/** So few vectors are compared one by one, whether they have codes or not. */
const EXACTLY = 1024;
/** Vectors that are looked at between two questions whether that was enough. */
const BATCH = 64;

/** Finds the vectors nearest to a query, through their codes where there are many. */
export class NearestVectors {
  private readonly database: Connection;
  private readonly exact: ExactScan;
  private kernel: ScanKernel | undefined;

  /** @param hasExtension loads the vector extension on first use */
  constructor(database: Connection, hasExtension: () => boolean) {
    this.database = database;
    this.exact = new ExactScan(database, hasExtension);
  }

  /**
   * The vectors of a space nearest to a query, best first: `count` of them and those as near as the
   * last, or all there are. Similarities are exact; of a large space one in a few hundred of the
   * nearest may be missed.
   *
   * @param query of length 1
   * @param among ids of the embeddings to choose from; all that are in use when undefined
   */
  find(
    space: Space,
    query: Float32Array,
    count: number,
    among: readonly number[] | undefined,
  ): Neighbour[] {
    if (among !== undefined && among.length <= EXACTLY) {
      return this.exact.nearest(among, query, count);
    }
    const estimates = this.estimates(space, query, count, among);
    if (estimates === undefined) {
      return this.exact.nearest(among ?? this.allIds(space), query, count);
    }
    const isChosen = among === undefined ? undefined : new Set(among);
    const uncoded = this.uncodedIds(space).filter((id) => isChosen?.has(id) ?? true);
    return this.settle(query, count, estimates, this.exact.nearest(uncoded, query, count));
  }

  /** Undefined where codes say nothing: the identity was left, or they are damaged. */
  private estimates(
    space: Space,
    query: Float32Array,
    count: number,
    among: readonly number[] | undefined,
  ): Estimate[] | undefined {
    if (!space.inUse) return undefined;
    if (!hasPages(this.database, space)) return [];
    this.kernel ??= createScanKernel();
    const isChosen = among === undefined ? undefined : new Set(among);
    const tools = { rotation: createRotation(space.dimensions), kernel: this.kernel };
    return coarseScan(this.database, space, query, count, isChosen, tools);
  }

  private uncodedIds(space: Space): number[] {
    return this.database
      .prepare<[number], number>('SELECT embedding_id FROM uncoded WHERE space_id = ?')
      .pluck()
      .all(space.id);
  }

  private allIds(space: Space): number[] {
    return this.database
      .prepare<[number], number>('SELECT id FROM embeddings WHERE space_id = ?')
      .pluck()
      .all(space.id);
  }

  /** Looks at estimated vectors exactly until no other can come among the best. */
  private settle(
    query: Float32Array,
    count: number,
    estimates: readonly Estimate[],
    exact: readonly Neighbour[],
  ): Neighbour[] {
    let best = topNeighbours(exact, count);
    for (let at = 0; at < estimates.length; at += BATCH) {
      const last = best[count - 1];
      if (last !== undefined && (estimates[at]?.ceiling ?? 0) < last.similarity) break;
      const ids = estimates.slice(at, at + BATCH).map(({ id }) => id);
      best = topNeighbours([...best, ...this.exact.nearest(ids, query, count)], count);
    }
    return best;
  }
}
