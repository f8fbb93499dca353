import { SvcError, type Warning } from '../../errors/index.js';
import type { QueryVector } from '../embedding/index.js';
import type { CandidateFilter, MemoryIndex, Tokenizer } from '../index/index.js';
import { documentKeyText } from '../types.js';
import { type Backgrounds, backgroundsOf, joinCandidates, vectorScore } from './calibrate.js';
import type { Found } from './find-candidates.js';
import { ageInDays, type FusedChunk, type FusionShares, fuse, isEvergreen } from './fuse.js';
import type { RankedChunk, Ranking } from './rank.js';
import { isCopy, type PromotedLines } from './repeats.js';
import type { Findings } from './results.js';
import { createTermMatcher, type TermMatcher } from './term-matcher.js';
import type { SearchMode, SearchOptions } from './types.js';

interface Brought {
  readonly found: Found;
  readonly vector: QueryVector | undefined;
  readonly limit: number;
  readonly filter: CandidateFilter;
  readonly tokenizer: Tokenizer;
}

/** Falls back to keywords if the query's vector is not comparable with the index. */
export async function weighOrWarn(
  index: MemoryIndex,
  brought: Brought,
  options: SearchOptions,
  warnings: Warning[],
): Promise<Findings> {
  try {
    return await weigh(index, brought, options);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'PROVIDER_ANSWER_INVALID') throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    const message = `keyword search only: ${error.message}`;
    warnings.push({ code: 'PROVIDER_UNAVAILABLE', message, ...hint });
    return weigh(index, { ...brought, vector: undefined }, options);
  }
}

/** Combines keywords, vectors and age. */
async function weigh(
  index: MemoryIndex,
  { found, vector, limit, filter, tokenizer }: Brought,
  options: SearchOptions,
): Promise<Findings> {
  const { query, match, matcher } = found;
  if (vector === undefined) {
    const ranking = await found.rank(found.candidates);
    const chunks = ranking.chunks.map((ranked) => ({ ranked, similarity: undefined }));
    return findingsOf(index, { mode: 'lexical', ranking, matcher, chunks }, ALL_TEXT, options);
  }
  const constraints = createTermMatcher([...query.required, ...query.excluded], tokenizer);
  const backgrounds = await backgroundsOf(index, vector);
  const { media } = backgrounds;
  const { chunks: candidates, similarities } = await joinCandidates(index, {
    ...{ query, match, lexical: found.candidates, vector, limit, filter, constraints, media },
    standsOut: (chunkId, similarity) =>
      !options.hybrid || vectorScore(similarity, backgrounds.of(chunkId)) > 0,
  });
  const ranking = await found.rank(candidates);
  const chunks = ranking.chunks
    .map((ranked) => ({ ranked, similarity: similarities.get(ranked.chunk.chunkId) }))
    .filter(({ similarity }) => options.hybrid || similarity !== undefined);
  const mode = options.hybrid ? 'hybrid' : 'vector';
  const shares = options.hybrid ? options.shares : ALL_VECTOR;
  return findingsOf(index, { mode, ranking, matcher, chunks, backgrounds }, shares, options);
}

const ALL_TEXT: FusionShares = { text: 1, vector: 0 };
const ALL_VECTOR: FusionShares = { text: 0, vector: 1 };

interface Sides {
  readonly mode: SearchMode;
  readonly ranking: Ranking;
  readonly matcher: TermMatcher;
  readonly chunks: readonly {
    readonly ranked: RankedChunk;
    readonly similarity: number | undefined;
  }[];
  readonly backgrounds?: Backgrounds;
}

async function findingsOf(
  index: MemoryIndex,
  { mode, ranking, matcher, chunks, backgrounds }: Sides,
  shares: FusionShares,
  { halfLifeDays, nowMs }: SearchOptions,
): Promise<Findings> {
  const ageOf = await agesOf(index, chunks, nowMs, halfLifeDays !== undefined);
  const similarities = new Map<number, number>();
  const candidates = chunks.map(({ ranked, similarity }) => {
    if (similarity !== undefined) similarities.set(ranked.chunk.chunkId, similarity);
    return {
      ranked,
      textScore: ranking.scoreOf(ranked.rank),
      vectorScore:
        similarity === undefined || backgrounds === undefined
          ? undefined
          : vectorScore(similarity, backgrounds.of(ranked.chunk.chunkId)),
      similarity: mode === 'vector' ? similarity : undefined,
      ageDays: ageOf(ranked),
    };
  });
  const fused = fuse(candidates, { shares, halfLifeDays });
  const promoted = await promotedAmong(index, chunks);
  return { mode, fused, shares, similarities, matcher, lineWeights: ranking.lineWeights, promoted };
}

/** The lines that dreaming wrote; nothing is read unless long-term memory is among the candidates. */
async function promotedAmong(index: MemoryIndex, chunks: Sides['chunks']): Promise<PromotedLines> {
  const copies = chunks.map(({ ranked }) => ranked.chunk).filter(isCopy);
  const keys = new Map(copies.map((chunk) => [documentKeyText(chunk), chunk]));
  const documents = keys.size === 0 ? [] : await index.describe([...keys.values()]);
  return new Map(documents.map((one) => [documentKeyText(one), one.promoted ?? []]));
}

/**
 * Ages of candidates. Only decay needs modification times, and only if a name does not contain a date;
 * otherwise no documents are read.
 */
async function agesOf(
  index: MemoryIndex,
  chunks: Sides['chunks'],
  nowMs: number,
  decays: boolean,
): Promise<(ranked: RankedChunk) => FusedChunk['ageDays']> {
  const undated = decays ? chunks.filter(({ ranked: { chunk } }) => !isEvergreen(chunk)) : [];
  const keys = new Map(undated.map(({ ranked: { chunk } }) => [documentKeyText(chunk), chunk]));
  const documents = keys.size === 0 ? [] : await index.describe([...keys.values()]);
  const modified = new Map(
    documents.map((document) => [documentKeyText(document), document.modifiedMs]),
  );
  return ({ chunk: { source, path, ...chunk } }) => {
    const modifiedMs = modified.get(documentKeyText({ source, path, ...chunk }));
    return ageInDays({ source, path, modifiedMs }, nowMs);
  };
}
