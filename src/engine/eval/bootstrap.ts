import { type Figures, QUALITY_NAMES, type QualityName } from './figures.js';
import { seededRandom } from './random.js';

/** How a figure differs between two runs over the same questions. */
export interface Difference extends MeanDifference {
  readonly figure: QualityName;
}

/** How the mean of paired differences stands against chance. */
export interface MeanDifference {
  /** The second run's mean less the first one's. */
  readonly difference: number;
  /** Between these two it lies in 95 of 100 resamples. */
  readonly low: number;
  readonly high: number;
  /** How often chance alone would give a difference as far from zero; two-sided. */
  readonly p: number;
  /** Whether it is more than chance would give, at 5 %. */
  readonly beyondChance: boolean;
}

const RESAMPLES = 2000;
const LEVEL = 0.05;
/** Of five questions even a difference in all is within chance at 5 % (a sign test: 2 · 2⁻⁵). */
const FEWEST_CHANGED = 6;

/**
 * The paired bootstrap (Efron; Sakai 2006 for search): questions are drawn again and again, with both
 * of their figures, and the mean difference is looked at each time. A figure that no question has in
 * both runs is left out.
 *
 * @param before and after: the figures of each question, in the same order
 * @param seed the same seed gives the same verdict
 */
export function compareRuns(
  before: readonly Figures[],
  after: readonly Figures[],
  seed: number,
): readonly Difference[] {
  return QUALITY_NAMES.flatMap((figure) => {
    const difference = differenceOf(pairedDifferences(figure, before, after), seed);
    return difference === undefined ? [] : [{ figure, ...difference }];
  });
}

function pairedDifferences(
  name: QualityName,
  before: readonly Figures[],
  after: readonly Figures[],
): Float64Array {
  return Float64Array.from(
    before.flatMap((figures, at) => {
      const [first, second] = [figures[name], after[at]?.[name]];
      return first === null || second === null || second === undefined ? [] : [second - first];
    }),
  );
}

/** Judges the mean of differences, one a question; undefined without any. */
export function differenceOf(differences: Float64Array, seed: number): MeanDifference | undefined {
  const { length } = differences;
  if (length === 0) return undefined;
  const difference = differences.reduce((sum, value) => sum + value, 0) / length;
  const changed = differences.filter((value) => value !== 0).length;
  if (changed === 0) return { difference: 0, low: 0, high: 0, p: 1, beyondChance: false };
  const means = resampledMeans(differences, seed);
  const share = (kept: (mean: number) => boolean): number =>
    (means.filter(kept).length + 1) / (RESAMPLES + 1);
  const p = Math.min(
    1,
    2 *
      Math.min(
        share((mean) => mean <= 0),
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
