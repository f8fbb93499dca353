import { SvcError, type Warning } from '../../errors/index.js';
import { uniqueBy } from '../../support/lists.js';
import type { QueryVector } from '../embedding/query-embedder.js';
import type { CandidateFilter, MemoryIndex, Tokenizer } from '../index/index.js';
import { documentKeyText, type PromotedLine } from '../types.js';
import { type Backgrounds, backgroundsOf, joinCandidates, vectorScore } from './calibrate.js';
import type { KeywordMatches } from './find-candidates.js';
import { ageInDays, type FusionShares, fuse } from './fuse.js';
import type { RankedChunk, Ranking } from './rank.js';
import { isCopy, type PromotedLines } from './repeats.js';
import type { Findings } from './results.js';
import { createTermMatcher } from './term-matcher.js';
import type { SearchOptions } from './types.js';

interface CombineInput {
  readonly keywords: KeywordMatches;
  readonly vector: QueryVector | undefined;
  readonly limit: number;
  readonly filter: CandidateFilter;
  readonly tokenizer: Tokenizer;
}

/** Falls back to keywords if the query's vector is not comparable with the index. */
export async function combineScoresOrWarn(
  index: MemoryIndex,
  input: CombineInput,
  options: SearchOptions,
  warnings: Warning[],
): Promise<Findings> {
  try {
    return await combineScores(index, input, options);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'PROVIDER_ANSWER_INVALID') throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    const message = `keyword search only: ${error.message}`;
    warnings.push({ code: 'PROVIDER_UNAVAILABLE', message, ...hint });
    return combineScores(index, { ...input, vector: undefined }, options);
  }
}

/** Combines keywords, vectors and age into one score per candidate. */
async function combineScores(
  index: MemoryIndex,
  { keywords, vector, limit, filter, tokenizer }: CombineInput,
  options: SearchOptions,
): Promise<Findings> {
  const { query, match, matcher } = keywords;
  if (vector === undefined) {
    const ranking = await keywords.rank(keywords.candidates);
    const lexical = { mode: 'lexical', ranking, matcher, similarities: new Map() } as const;
    return findingsOf(index, lexical, ALL_TEXT, options);
  }
  const constraints = createTermMatcher([...query.required, ...query.excluded], tokenizer);
  const backgrounds = await backgroundsOf(index, vector);
  const { media } = backgrounds;
  const { chunks: candidates, similarities } = await joinCandidates(index, {
    query,
    match,
    lexical: keywords.candidates,
    vector,
    limit,
    filter,
    constraints,
    media,
    standsOut: (chunkId, similarity) =>
      !options.hybrid || vectorScore(similarity, backgrounds.of(chunkId)) > 0,
  });
  const ranking = await keywords.rank(candidates);
  const mode = options.hybrid ? 'hybrid' : 'vector';
  const shares = options.hybrid ? options.shares : ALL_VECTOR;
  return findingsOf(index, { mode, ranking, matcher, similarities, backgrounds }, shares, options);
}

const ALL_TEXT: FusionShares = { text: 1, vector: 0 };
const ALL_VECTOR: FusionShares = { text: 0, vector: 1 };

interface ScoredCandidates extends Pick<Findings, 'matcher' | 'mode' | 'similarities'> {
  readonly ranking: Ranking;
  readonly backgrounds?: Backgrounds;
}

async function findingsOf(
  index: MemoryIndex,
  { mode, ranking, matcher, similarities, backgrounds }: ScoredCandidates,
  shares: FusionShares,
  { halfLifeDays, nowMs }: SearchOptions,
): Promise<Findings> {
  const isVector = mode === 'vector';
  const chunks = ranking.chunks.filter(({ chunk }) => !isVector || similarities.has(chunk.chunkId));
  const candidates = chunks.map((ranked) => {
    const { chunkId, source, path } = ranked.chunk;
    const similarity = similarities.get(chunkId);
    // Without decay, ages only order passages of equal scores, by the days in their names.
    const modifiedMs = halfLifeDays === undefined ? undefined : ranked.chunk.modifiedMs;
    return {
      ranked,
      textScore: ranking.scoreOf(ranked.rank),
      vectorScore:
        similarity === undefined || backgrounds === undefined
          ? undefined
          : vectorScore(similarity, backgrounds.of(chunkId)),
      similarity: isVector ? similarity : undefined,
      ageDays: ageInDays({ source, path, modifiedMs }, nowMs),
    };
  });
  const fused = fuse(candidates, { shares, halfLifeDays });
  const promoted = await promotedAmong(index, chunks);
  return { mode, fused, shares, similarities, matcher, lineWeights: ranking.lineWeights, promoted };
}

/** The lines that dreaming wrote into documents among the candidates. */
async function promotedAmong(
  index: MemoryIndex,
  chunks: readonly RankedChunk[],
): Promise<PromotedLines> {
  const copies = chunks.map(({ chunk }) => chunk).filter(isCopy);
  const promoted = new Map<string, readonly PromotedLine[]>();
  for (const copy of uniqueBy(copies, documentKeyText)) {
    promoted.set(documentKeyText(copy), await index.promotedLines(copy));
  }
  return promoted;
}
