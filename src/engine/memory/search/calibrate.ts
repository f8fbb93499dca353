/** How similar a question is to passages that have nothing to do with it. */
export interface SimilarityBackground {
  readonly middle: number;
  readonly deviation: number;
  /** What chance reaches above the middle, in deviations. */
  readonly chance: number;
}

/** Vectors of a space that the background is told from. */
export const BACKGROUND_SAMPLE = 256;

/*
 * In deviations above the background: what chance reaches in a large index, and what only passages
 * about the matter reach. docs/search-quality.md has the figures they come from.
 */
const MOST_CHANCE = 3;
const CERTAIN = 15;

/** In so small a sample a good part may be about the matter. */
const SMALL_SAMPLE = 8;
/** Makes the median distance from the median a standard deviation, for a normal distribution. */
const MEDIAN_DISTANCE_TO_DEVIATION = 1.4826;

/**
 * The background, from cosines of the question to a sample of the index. Medians, because the few
 * passages about the matter are in the sample as well. No deviation below that of random directions.
 *
 * @param dimensions length of the vectors
 */
export function backgroundOf(sample: readonly number[], dimensions: number): SimilarityBackground {
  const random = 1 / Math.sqrt(Math.max(1, dimensions));
  const chance = chanceAmong(sample.length);
  if (sample.length === 0) return { middle: 0, deviation: random, chance };
  if (sample.length < SMALL_SAMPLE)
    return { middle: Math.min(...sample), deviation: random, chance };
  const middle = median(sample);
  const distance = median(sample.map((similarity) => Math.abs(similarity - middle)));
  return { middle, deviation: Math.max(random, distance * MEDIAN_DISTANCE_TO_DEVIATION), chance };
}

/**
 * The largest of so many draws from a normal distribution, about (extreme value theory: √(2 ln n)); among
 * few passages chance does not reach as far as in a large index.
 */
function chanceAmong(passages: number): number {
  return Math.min(MOST_CHANCE, Math.sqrt(2 * Math.log(Math.max(2, passages))));
}

/**
 * A cosine as a score from 0 to 1. Models differ widely in what cosine they give to texts that have
 * nothing to do with each other (0.1 with some, 0.7 with others); so what counts is how far a passage
 * stands out from the index as a whole.
 */
export function vectorScore(similarity: number, background: SimilarityBackground): number {
  const above = (similarity - background.middle) / background.deviation;
  return Math.min(1, Math.max(0, (above - background.chance) / (CERTAIN - background.chance)));
}

/*
 * Beside vectors the words' scores are drawn apart: what is best by words should stand out from what
 * merely shares some, as it does where words decide alone.
 */
const STRETCH = 1.6;
const SHARPNESS = 1.5;

/**
 * What a passage's words count beside its vector, from 0 to 1.
 *
 * @param score of its words, 0 to 1
 * @param rank and best: its lexical rank and the best one of the same query
 */
export function textSide(score: (rank: number) => number, rank: number, best: number): number {
  if (best <= 0) return 0;
  return Math.min(1, STRETCH * score(best)) * (Math.max(0, rank) / best) ** SHARPNESS;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0)) / 2;
}
