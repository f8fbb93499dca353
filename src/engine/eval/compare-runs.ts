import { type Metrics, QUALITY_NAMES, type QualityName } from './metrics.js';
import type { EvalVariant } from './output-schemas.js';
import { seededRandom } from './random.js';

/** Difference of a metric between two runs over the same questions, with its significance. */
type Difference = EvalVariant['differences'][number];

const RESAMPLES = 2000;
const LEVEL = 0.05;
/** With five changed questions a difference cannot be significant at 5 % (sign test: 2 · 2⁻⁵). */
const FEWEST_CHANGED = 6;

/**
 * Compares runs with the paired bootstrap (Efron; Sakai 2006 for search). Metrics that no question has in
 * both runs are left out.
 *
 * @param before and after: the metrics of each question, in the same order
 * @param seed makes the result reproducible
 */
export function compareRuns(
  before: readonly Metrics[],
  after: readonly Metrics[],
  seed: number,
): readonly Difference[] {
  return QUALITY_NAMES.flatMap((metric) => {
    const difference = differenceOf(pairedDifferences(metric, before, after), seed);
    return difference === undefined ? [] : [{ metric, ...difference }];
  });
}

function pairedDifferences(
  name: QualityName,
  before: readonly Metrics[],
  after: readonly Metrics[],
): Float64Array {
  return Float64Array.from(
    before.flatMap((metrics, at) => {
      const [first, second] = [metrics[name], after[at]?.[name]];
      return first === null || second === null || second === undefined ? [] : [second - first];
    }),
  );
}

/** Mean and significance of the differences per question; undefined if there are none. */
export function differenceOf(differences: Float64Array, seed: number) {
  const { length } = differences;
  if (length === 0) return undefined;
  const difference = differences.reduce((sum, value) => sum + value, 0) / length;
  const changed = differences.filter((value) => value !== 0).length;
  if (changed === 0) return { difference: 0, low: 0, high: 0, p: 1, beyondChance: false };
  const means = resampledMeans(differences, seed);
  const share = (kept: (mean: number) => boolean): number =>
    (means.filter(kept).length + 1) / (RESAMPLES + 1);
  const atMostZero = share((mean) => mean <= 0);
  const p = Math.min(
    1,
    2 *
      Math.min(
        atMostZero,
        share((mean) => mean >= 0),
      ),
  );
  return {
    difference,
    low: means[Math.floor((RESAMPLES * LEVEL) / 2)] ?? difference,
    high: means[Math.ceil(RESAMPLES * (1 - LEVEL / 2)) - 1] ?? difference,
    p,
    beyondChance: p < LEVEL && changed >= FEWEST_CHANGED,
  };
}

/** Ascending. */
function resampledMeans(differences: Float64Array, seed: number): Float64Array {
  const random = seededRandom(seed);
  const { length } = differences;
  const means = new Float64Array(RESAMPLES);
  for (let at = 0; at < RESAMPLES; at++) {
    let sum = 0;
    for (let drawn = 0; drawn < length; drawn++) {
      sum += differences[Math.floor(random() * length)] ?? 0;
    }
    means[at] = sum / length;
  }
  return means.sort();
}
