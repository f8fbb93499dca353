import type { MemoryIndex } from '../index/memory-index.js';
import { BACKGROUND_SAMPLE, backgroundOf, type SimilarityBackground } from './calibrate.js';
import type { QueryVector } from './semantic.js';

/** What the nearness of a question to passages is held against. */
export interface Backgrounds {
  /** That of a passage by its chunk: of texts, or of media. */
  of(chunkId: number): SimilarityBackground;
  /** Whether the index holds media. */
  readonly media: boolean;
}

/** So few say little of what is usual among them. */
const FEW_MEDIA = 8;

/**
 * Tells the background of texts and that of media apart: a model puts pictures farther from every
 * question than texts, so each kind has to stand out from its own.
 */
export async function backgroundsOf(
  index: MemoryIndex,
  { identity, vector }: QueryVector,
): Promise<Backgrounds> {
  const sample = await index.sampleSimilarities(identity, vector, BACKGROUND_SAMPLE);
  const texts = backgroundOf(sample, vector.length);
  const { chunkIds, similarities } = await index.sampleMedia(identity, vector, BACKGROUND_SAMPLE);
  if (chunkIds.size === 0) return { of: () => texts, media: false };
  const usual = backgroundOf(similarities, vector.length);
  // Beside a few pictures the texts say what is usual, and so does chance beside a single one.
  const isSingle = similarities.length === 1;
  const known = sample.length > 0 || isSingle;
  const media =
    similarities.length < FEW_MEDIA && known
      ? { ...usual, middle: Math.min(usual.middle, texts.middle) }
      : usual;
  return { of: (chunkId) => (chunkIds.has(chunkId) ? media : texts), media: true };
}
