import type { Connection } from '../../../sqlite/database.js';
import { BestEstimates, type Estimate } from './best-estimates.js';
import { codeLengths } from './code-page.js';
import { isWholePage, type StoredPage, storedPages } from './code-pages.js';
import type { Rotation } from './rotation.js';
import { queryTables, type ScanKernel } from './scan-kernel.js';
import type { Space } from './spaces.js';
import { floatsOf, integersOf } from './vector-bytes.js';

/**
 * Standard deviations between an estimate and its ceiling. Wider means more vectors looked at
 * exactly; see bench/vectors.ts for what it finds.
 */
const DEVIATIONS = 1.75;
/** The most estimates that are kept: the end of what a query over crowded vectors may cost. */
const KEPT = 2048;
const KEPT_A_RESULT = 4;
/**
 * The standard deviation of an estimate, as a part of `scale × |query - centre|`: of a vector of
 * which so many dimensions are coded, what their signs leave open.
 */
function deviation(bits: number, width: number): number {
  const coded = bits / width;
  return Math.sqrt(coded * (1 - (coded * 2) / Math.PI));
}

/**
 * The vectors of a space whose codes promise most, by descending ceiling; undefined when its pages
 * are not what they should be.
 *
 * @param query of length 1
 * @param count how many are wanted
 * @param among ids to choose from; all when undefined
 */
export function coarseScan(
  database: Connection,
  space: Space,
  query: Float32Array,
  count: number,
  among: ReadonlySet<number> | undefined,
  { rotation, kernel }: { readonly rotation: Rotation; readonly kernel: ScanKernel },
): Estimate[] | undefined {
  const rotated = new Float64Array(rotation.width);
  rotation.rotate(query, rotated);
  const lengths = codeLengths(rotation.width);
  const long = queryTables(rotated, lengths.long);
  const short = queryTables(rotated, lengths.short);
  const best = new BestEstimates(count, KEPT + KEPT_A_RESULT * count);
  for (const page of storedPages(database, space)) {
    if (!isWholePage(page, rotation)) return undefined;
    const { base, distance } = compareCentre(rotated, page);
    const scanned = { ...page, slots: page.scales.length / 4 };
    const tables = page.codes.length === scanned.slots * lengths.long ? long : short;
    const hits = kernel.scan(scanned, tables, base, best.threshold);
    const reach = DEVIATIONS * distance * deviation(tables.bytes * 8, rotation.width);
    const ids = integersOf(page.ids);
    const scales = floatsOf(page.scales);
    for (let hit = 0; hit < hits; hit++) {
      const slot = kernel.slots[hit] ?? 0;
      const id = ids[slot] ?? 0;
      if (among !== undefined && !among.has(id)) continue;
      best.add(id, kernel.estimates[hit] ?? 0, reach * (scales[slot] ?? 0));
    }
    best.endPage();
  }
  return best.take();
}

/** The query's product with a page's centre, and its distance from there. */
function compareCentre(
  rotated: Float64Array,
  page: StoredPage,
): { readonly base: number; readonly distance: number } {
  const centre = floatsOf(page.centre);
  let base = 0;
  let squares = 0;
  for (let at = 0; at < rotated.length; at++) {
    const value = rotated[at] ?? 0;
    const middle = centre[at] ?? 0;
    base += value * middle;
    squares += (value - middle) ** 2;
  }
  return { base, distance: Math.sqrt(squares) };
}
