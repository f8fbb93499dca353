import { type CitationMode, formatCitation } from './citation.js';
import { diversify } from './diversify.js';
import type { FusedChunk, FusionShares } from './fuse.js';
import { type Passage, passagesOf } from './passages.js';
import { snippetBudget, snippetOf } from './snippet.js';
import type { TermMatcher } from './term-matcher.js';
import type { BareResult, ScoreExplanation, SearchMode, SearchRequest } from './types.js';

/** Everything that was found, in its final order by score. */
export interface Findings {
  readonly mode: SearchMode;
  readonly fused: readonly FusedChunk[];
  readonly shares: FusionShares;
  /** Cosines by chunk id. */
  readonly similarities: ReadonlyMap<number, number>;
  readonly matcher: TermMatcher;
  /** For each query term: its weight among the lines of the candidates. */
  readonly lineWeights: readonly number[];
}

/** How findings become results. */
export interface ResultOptions {
  readonly citations: CitationMode;
  readonly snippetChars: number;
  readonly maxResults: number;
  readonly minScore: number;
  readonly mmrLambda: number | undefined;
  readonly halfLifeDays: number | undefined;
  /** The configured shares, which `minScore` is about. */
  readonly shares: FusionShares;
}

/** Diversity is chosen from this many times the results asked for. */
const DIVERSITY_POOL = 3;

interface Placed {
  readonly passage: Passage;
  readonly chunk: FusedChunk;
  readonly diversity: ScoreExplanation['diversity'];
}

/** The best passages as results, and how many of them were left out for their score. */
export function resultsOf(
  findings: Findings,
  request: SearchRequest,
  options: ResultOptions,
): { readonly results: BareResult[]; readonly belowMinScore: number } {
  const placed = placedPassages(findings, request.maxResults ?? options.maxResults, options);
  const results = placed.map((item, position) => ({
    item,
    result: resultOf(item, position, findings, request, options),
  }));
  const kept = results.filter(({ item, result }) => {
    if (request.minScore !== undefined) return result.score >= request.minScore;
    return isGoodEnough(findings.mode, result.score, item.chunk, options);
  });
  return {
    results: kept.map(({ result }) => result),
    belowMinScore: results.length - kept.length,
  };
}

/**
 * `query.minScore` is meant for scores of both sides together, of which each makes up its share. So
 * what one side alone finds is held against that share of it, with both as with one: a provider adds
 * results and takes none away.
 */
function isGoodEnough(
  mode: SearchMode,
  score: number,
  { wordScore, vectorScore, decay }: FusedChunk,
  { minScore, shares }: ResultOptions,
): boolean {
  if (mode !== 'lexical' && score >= minScore) return true;
  if (mode !== 'vector' && wordScore * decay >= minScore * shares.text) return true;
  return vectorScore !== undefined && vectorScore * decay >= minScore * shares.vector;
}

function placedPassages(
  { fused }: Findings,
  maxResults: number,
  { mmrLambda }: ResultOptions,
): Placed[] {
  const byId = new Map(fused.map((chunk) => [chunk.ranked.chunk.chunkId, chunk]));
  const pool = mmrLambda === undefined ? maxResults : maxResults * DIVERSITY_POOL;
  const passages = passagesOf(
    fused.map(({ ranked, score }) => ({ ...ranked, rank: score })),
    pool,
  ).flatMap((passage, place): Placed[] => {
    const chunk = byId.get(passage.chunkId);
    return chunk === undefined ? [] : [{ passage, chunk, diversity: placeOf(place, 0) }];
  });
  if (mmrLambda === undefined) return passages.map((placed) => ({ ...placed, diversity: null }));
  const items = passages.map((placed, place) => ({
    placed,
    place,
    score: placed.chunk.score,
    text: placed.passage.lines.map((line) => line.text).join('\n'),
  }));
  return diversify(items, mmrLambda, maxResults).map(({ item, overlap }) => {
    return { ...item.placed, diversity: placeOf(item.place, overlap) };
  });
}

function placeOf(place: number, overlap: number): ScoreExplanation['diversity'] {
  return { placeBefore: place + 1, overlap: round(overlap) };
}

function resultOf(
  { passage, chunk, diversity }: Placed,
  position: number,
  findings: Findings,
  request: SearchRequest,
  options: ResultOptions,
): BareResult {
  const budget = snippetBudget(position, options.snippetChars);
  const snippet = snippetOf(passage.lines, findings.lineWeights, findings.matcher, budget);
  const { path, source, startLine, endLine, headingPath } = passage;
  const { textScore, vectorScore } = chunk;
  return {
    path,
    startLine,
    endLine,
    score: round(chunk.score),
    snippet: snippet.text,
    snippetLine: snippet.line,
    source,
    headingPath,
    ...(findings.mode === 'vector' ? {} : { textScore: round(textScore) }),
    ...(vectorScore === undefined ? {} : { vectorScore: round(vectorScore) }),
    ...(options.citations === 'off' ? {} : { citation: formatCitation(path, passage) }),
    ...(request.explain === true
      ? { explanation: explanationOf(chunk, diversity, findings, options) }
      : {}),
    highlights: snippet.highlights,
  };
}

function explanationOf(
  { ranked, decay, ageDays }: FusedChunk,
  diversity: ScoreExplanation['diversity'],
  { shares, similarities }: Findings,
  { halfLifeDays }: ResultOptions,
): ScoreExplanation {
  const similarity = similarities.get(ranked.chunk.chunkId);
  return {
    textShare: round(shares.text),
    vectorShare: round(shares.vector),
    similarity: similarity === undefined ? null : round(similarity),
    decay:
      halfLifeDays === undefined || ageDays === undefined
        ? null
        : { factor: round(decay), ageDays: Math.round(ageDays * 10) / 10 },
    diversity,
  };
}

/** Four digits: what lies below is noise, and equal answers should look equal. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
