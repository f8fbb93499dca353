import { MEMORY_SEARCH_DEFAULTS } from '../../config/index.js';
import { MS_PER_DAY } from '../../support/time.js';
import { dayOfPath } from '../index/index.js';
import type { DocumentKey } from '../types.js';
import type { RankedChunk } from './rank.js';

/** The weight of each side; they add up to 1. */
export interface FusionShares {
  readonly text: number;
  readonly vector: number;
}

/** A candidate with the score of each side. */
export interface FusionCandidate {
  readonly ranked: RankedChunk;
  /** Keyword score, 0 to 1; 0 without a match. */
  readonly textScore: number;
  /** 0 to 1; undefined for a passage without a vector. */
  readonly vectorScore: number | undefined;
  /** The cosine, in vector-only search: it orders candidates that score zero. */
  readonly similarity?: number | undefined;
  /** Undefined for passages that never age, or whose age is unknown. */
  readonly ageDays: number | undefined;
}

/** A candidate with its final score. */
export interface FusedChunk extends FusionCandidate {
  /** 0 to 1, of both sides. The minimum score applies to it. */
  readonly relevance: number;
  /** The relevance times the decay. */
  readonly score: number;
  /** The factor for age: 1 for new or ageless passages. */
  readonly decay: number;
  /** Only if a reranker scored it: its score, and the place before, 1-based. */
  readonly reranked?: { readonly score: number; readonly placeBefore: number };
}

export interface FusionOptions {
  readonly shares: FusionShares;
  /** Undefined disables decay. */
  readonly halfLifeDays: number | undefined;
}

/**
 * Orders candidates by both sides (spec/memory-search §2.5), ties by similarity if given, then the newer first,
 * then by path, line and id. A passage without a vector is scored by keywords only: not being embedded yet does
 * not count against it.
 */
export function fuse(
  candidates: readonly FusionCandidate[],
  { shares, halfLifeDays }: FusionOptions,
): FusedChunk[] {
  return candidates
    .map((candidate): FusedChunk => {
      const decay = halfLifeDays === undefined ? 1 : decayFactor(candidate.ageDays, halfLifeDays);
      const relevance = fusedScore(candidate, shares);
      return { ...candidate, relevance, decay, score: decay * relevance };
    })
    .sort(byScore);
}

/**
 * Both sides as independent evidence (noisy or): 1 − (1 − text)(1 − vector). So a provider only adds to the score
 * that keywords give, and scores mean the same with and without one. Each side counts in full at the default
 * weights; other weights reduce the side that they make less of, down to nothing.
 */
function fusedScore({ textScore, vectorScore }: FusionCandidate, shares: FusionShares): number {
  if (vectorScore === undefined) return textScore;
  const { textWeight, vectorWeight } = MEMORY_SEARCH_DEFAULTS.query.hybrid;
  const text = Math.min(1, (shares.text * vectorWeight) / (shares.vector * textWeight));
  const vector = Math.min(1, (shares.vector * textWeight) / (shares.text * vectorWeight));
  return 1 - (1 - textScore) ** text * (1 - vectorScore) ** vector;
}

function byScore(a: FusedChunk, b: FusedChunk): number {
  if (a.score !== b.score) return b.score - a.score;
  const nearer = (b.similarity ?? 0) - (a.similarity ?? 0);
  if (nearer !== 0) return nearer;
  // What never ages counts as new, as it does for decay.
  const newer = (a.ageDays ?? 0) - (b.ageDays ?? 0);
  if (newer !== 0) return newer;
  const [first, second] = [a.ranked.chunk, b.ranked.chunk];
  if (first.path !== second.path) return first.path < second.path ? -1 : 1;
  return first.startLine - second.startLine || first.chunkId - second.chunkId;
}

const EVERGREEN = /^(?:MEMORY\.md|memory\/)/u;

/**
 * A document's age in days, at least 0: of a dated note by its name, of a transcript or a file outside the
 * memory folder by its modification time. Undefined for what never ages: `MEMORY.md`, undated files in
 * `memory/`, and unknown times.
 */
export function ageInDays(
  document: DocumentKey & { readonly modifiedMs: number | undefined },
  nowMs: number,
): number | undefined {
  const day = document.source === 'memory' ? dayOfPath(document.path) : undefined;
  if (day !== undefined) return Math.max(0, nowMs / MS_PER_DAY - day);
  const isEvergreen = document.source === 'memory' && EVERGREEN.test(document.path);
  if (isEvergreen || document.modifiedMs === undefined) return undefined;
  return Math.max(0, (nowMs - document.modifiedMs) / MS_PER_DAY);
}

/** The smallest factor, reached after two half-lives: an old note must stay findable if nothing newer answers. */
const LEAST_DECAY = 0.25;

/** The score factor at an age: 1 for new or ageless, ½ at the half-life, ¼ from twice the half-life on. */
export function decayFactor(ageDays: number | undefined, halfLifeDays: number): number {
  return ageDays === undefined ? 1 : Math.max(LEAST_DECAY, 2 ** (-ageDays / halfLifeDays));
}
