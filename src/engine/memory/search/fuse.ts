import { decayFactor } from './decay.js';
import type { RankedChunk } from './rank.js';

/** How much each side counts; the shares add up to 1. */
export interface FusionShares {
  readonly text: number;
  readonly vector: number;
}

/** A candidate with what each side says of it. */
export interface FusionCandidate {
  readonly ranked: RankedChunk;
  /** What its words score on the scale of all queries, 0 to 1; 0 when it holds none of them. */
  readonly wordScore: number;
  /** What its words count here, 0 to 1: the same, or drawn apart beside vectors. */
  readonly textScore: number;
  /** 0 to 1; undefined for a passage without a vector. */
  readonly vectorScore: number | undefined;
  /** The cosine behind it where vectors alone are asked: it orders what scores nothing. */
  readonly similarity?: number | undefined;
  /** Undefined for what never ages. */
  readonly ageDays: number | undefined;
}

/** A candidate with its final score. */
export interface FusedChunk extends FusionCandidate {
  /** 0 to 1: both sides by their shares, times the decay. */
  readonly score: number;
  /** What age has left of the score: 1 for new or ageless. */
  readonly decay: number;
}

/** How candidates are fused. */
export interface FusionOptions {
  readonly shares: FusionShares;
  /** Undefined switches decay off. */
  readonly halfLifeDays: number | undefined;
}

/**
 * Orders candidates by the weighted sum of both sides (spec/memory-search §2.5), ties by similarity
 * where that is given, then by path, line and id. A passage without a vector is judged by its words alone: that it was not embedded yet says
 * nothing against it.
 */
export function fuse(
  candidates: readonly FusionCandidate[],
  { shares, halfLifeDays }: FusionOptions,
): FusedChunk[] {
  return candidates
    .map((candidate): FusedChunk => {
      const decay = halfLifeDays === undefined ? 1 : decayFactor(candidate.ageDays, halfLifeDays);
      return { ...candidate, decay, score: decay * weighted(candidate, shares) };
    })
    .sort(byScore);
}

function weighted({ textScore, vectorScore }: FusionCandidate, shares: FusionShares): number {
  if (vectorScore === undefined) return textScore;
  return shares.text * textScore + shares.vector * vectorScore;
}

function byScore(a: FusedChunk, b: FusedChunk): number {
  if (a.score !== b.score) return b.score - a.score;
  const nearer = (b.similarity ?? 0) - (a.similarity ?? 0);
  if (nearer !== 0) return nearer;
  const [first, second] = [a.ranked.chunk, b.ranked.chunk];
  if (first.path !== second.path) return first.path < second.path ? -1 : 1;
  return first.startLine - second.startLine || first.chunkId - second.chunkId;
}
