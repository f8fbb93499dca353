import type { QueryVector } from '../embedding/query-embedder.js';
import type { MemoryIndex } from '../index/index.js';

/** How similar a query is to unrelated passages. */
export interface SimilarityBackground {
  readonly middle: number;
  readonly deviation: number;
}

/** Number of vectors sampled for the background. */
const BACKGROUND_SAMPLE = 256;

/** Deviations above the background that are still chance. */
const CHANCE = 1;
/**
 * What each further deviation counts, in units of a whole query's weight, as in keyword scores (see
 * {@link Ranking.scoreOf}). See docs/search-quality.md.
 */
const EVIDENCE = 0.07;

/** In a smaller sample, many passages may be relevant. */
const SMALL_SAMPLE = 8;
/** Of a single passage: what many models give unrelated texts at most, so that a clear match is found. */
const USUAL_BACKGROUND = 0.3;
/** With fewer dimensions, random directions differ so much that not even a perfect match would stand out. */
const MIN_DIMENSIONS = 128;
/** Converts a median absolute deviation to a standard deviation (normal distribution). */
const MEDIAN_DISTANCE_TO_DEVIATION = 1.4826;

/**
 * The background, from cosines between the query and a sample of the index. Uses medians, because relevant passages are
 * in the sample too. The deviation is at least that of random directions.
 */
export function backgroundOf(sample: readonly number[], dimensions: number): SimilarityBackground {
  const random = 1 / Math.sqrt(Math.max(MIN_DIMENSIONS, dimensions));
  if (sample.length === 0) return { middle: 0, deviation: random };
  if (sample.length < SMALL_SAMPLE) {
    const others = sample.length === 1 ? [...sample, USUAL_BACKGROUND] : sample;
    return { middle: Math.min(...others), deviation: random };
  }
  const middle = median(sample);
  const distance = median(sample.map((similarity) => Math.abs(similarity - middle)));
  return { middle, deviation: Math.max(random, distance * MEDIAN_DISTANCE_TO_DEVIATION) };
}

/**
 * Converts a cosine to a score from 0 to 1, on the scale of keyword scores. Models give unrelated texts very different
 * cosines (0.1 with some, 0.7 with others), so what counts is how far a passage is above the index's average.
 */
export function vectorScore(similarity: number, background: SimilarityBackground): number {
  const above = (similarity - background.middle) / background.deviation;
  return 1 - Math.exp(-EVIDENCE * Math.max(0, above - CHANCE));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0)) / 2;
}

/** Too few to establish a background. */
const FEW_MEDIA = 8;

/** Separate backgrounds for texts and media: models place pictures farther from queries than texts. */
export async function backgroundsOf(
  index: Pick<MemoryIndex, 'sampleSimilarities'>,
  { identity, vector }: QueryVector,
) {
  const sample = await index.sampleSimilarities(identity, vector, BACKGROUND_SAMPLE);
  const texts = backgroundOf(sample.texts, vector.length);
  const usual = backgroundOf(sample.media, vector.length);
  // With only a few pictures, the texts' background applies.
  const isSingle = sample.media.length === 1;
  const known = sample.texts.length > 0 || isSingle;
  const media =
    sample.media.length < FEW_MEDIA && known
      ? { ...usual, middle: Math.min(usual.middle, texts.middle) }
      : usual;
  return {
    /** The background for a chunk: that of texts or of media. */
    of: (chunkId: number): SimilarityBackground =>
      sample.mediaChunks.has(chunkId) ? media : texts,
    media: sample.mediaChunks.size > 0,
  };
}
