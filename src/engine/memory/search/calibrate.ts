import type { QueryVector } from '../embedding/query-embedder.js';
import {
  type CandidateFilter,
  fileNameWords,
  type LexicalCandidate,
  type MemoryIndex,
  type VectorCandidate,
} from '../index/index.js';
import type { LexicalQuery } from './query.js';
import type { TermMatcher } from './term-matcher.js';

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

/** Backgrounds of a query by kind of passage. */
export interface Backgrounds {
  /** The background for a chunk: that of texts or of media. */
  of(chunkId: number): SimilarityBackground;
  /** Whether the index contains media. */
  readonly media: boolean;
}

/** Too few to establish a background. */
const FEW_MEDIA = 8;

/** Separate backgrounds for texts and media: models place pictures farther from queries than texts. */
export async function backgroundsOf(
  index: MemoryIndex,
  { identity, vector }: QueryVector,
): Promise<Backgrounds> {
  const sample = await index.sampleSimilarities(identity, vector, BACKGROUND_SAMPLE);
  const texts = backgroundOf(sample.texts, vector.length);
  if (sample.mediaChunks.size === 0) return { of: () => texts, media: false };
  const usual = backgroundOf(sample.media, vector.length);
  // With only a few pictures, the texts' background applies.
  const isSingle = sample.media.length === 1;
  const known = sample.texts.length > 0 || isSingle;
  const media =
    sample.media.length < FEW_MEDIA && known
      ? { ...usual, middle: Math.min(usual.middle, texts.middle) }
      : usual;
  return {
    of: (chunkId) => (sample.mediaChunks.has(chunkId) ? media : texts),
    media: true,
  };
}

/** Passages found by either side, with both sides' scores. */
interface Candidates {
  /** Each once; `bm25` is 0 without a keyword match. */
  readonly chunks: readonly LexicalCandidate[];
  /** Cosines by chunk id; a chunk without a vector is absent. */
  readonly similarities: ReadonlyMap<number, number>;
}

interface CandidateQuestion {
  readonly query: LexicalQuery;
  /** The query as a full-text expression; undefined without words. */
  readonly match: string | undefined;
  /** The keyword matches. */
  readonly lexical: readonly LexicalCandidate[];
  readonly vector: QueryVector;
  readonly limit: number;
  readonly filter: CandidateFilter;
  /** Matches the required phrases, then the excluded ones, in their order. */
  readonly constraints: TermMatcher;
  /** Whether to search media separately. */
  readonly media: boolean;
  /** Whether a passage is nearer to the query than chance. */
  readonly standsOut: (chunkId: number, similarity: number) => boolean;
}

/**
 * Merges keyword and vector candidates. A candidate of one side gets its actual score on the other, instead
 * of zero. Vector matches no better than chance are used only when there are too few keyword matches.
 */
export async function joinCandidates(
  index: MemoryIndex,
  question: CandidateQuestion,
): Promise<Candidates> {
  const { lexical, vector, match } = question;
  const near = await nearest(index, question);
  const known = new Set(lexical.map((chunk) => chunk.chunkId));
  const isWanted = ({ chunkId, similarity }: VectorCandidate): boolean =>
    lexical.length < question.limit || question.standsOut(chunkId, similarity);
  const added = near.filter(
    (chunk) => !known.has(chunk.chunkId) && isWanted(chunk) && isAllowed(chunk, question),
  );
  const scores =
    match === undefined || added.length === 0
      ? new Map<number, number>()
      : await index.lexicalScores(
          match,
          added.map((chunk) => chunk.chunkId),
        );
  const similarities = new Map(near.map((chunk) => [chunk.chunkId, chunk.similarity]));
  const unseen = [...known].filter((chunkId) => !similarities.has(chunkId));
  const rest = await index.similarities(vector.identity, vector.vector, unseen);
  for (const [chunkId, similarity] of rest) similarities.set(chunkId, similarity);
  const chunks = added.map(({ similarity: _, ...chunk }) => {
    return { ...chunk, bm25: scores.get(chunk.chunkId) ?? 0 };
  });
  return { chunks: [...lexical, ...chunks], similarities };
}

/** Media are queried separately, because any text may be nearer than the right picture. */
async function nearest(
  index: MemoryIndex,
  { vector: { identity, vector }, limit, filter, media }: CandidateQuestion,
): Promise<readonly VectorCandidate[]> {
  const near = await index.vectorCandidates(identity, vector, limit, filter);
  if (!media) return near;
  const kinds = ['media'] as const;
  const pictures = await index.vectorCandidates(identity, vector, limit, { ...filter, kinds });
  const known = new Set(near.map(({ chunkId }) => chunkId));
  return [...near, ...pictures.filter(({ chunkId }) => !known.has(chunkId))];
}

/** Required and excluded terms apply to vector matches too, in the texts that the full-text index has of them. */
function isAllowed(
  candidate: Pick<LexicalCandidate, 'headingPath' | 'path' | 'source' | 'text'>,
  { query, constraints }: CandidateQuestion,
): boolean {
  const { required, excluded } = query;
  if (required.length + excluded.length === 0) return true;
  const whole = [...candidate.headingPath, fileNameWords(candidate), candidate.text].join('\n');
  const present = new Set(constraints(whole).hits.map((hit) => hit.term));
  return (
    required.every((_, term) => present.has(term)) &&
    excluded.every((_, position) => !present.has(required.length + position))
  );
}
