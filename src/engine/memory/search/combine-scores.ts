import { SvcError, type Warning } from '../../errors/index.js';
import { uniqueBy } from '../../support/lists.js';
import type { QueryVector } from '../embedding/query-embedder.js';
import {
  type CandidateFilter,
  fileNameWords,
  type LexicalCandidate,
  type MemoryIndex,
  type Tokenizer,
  type VectorCandidate,
} from '../index/index.js';
import { documentKeyText, type PromotedLine } from '../types.js';
import { backgroundsOf, vectorScore } from './calibrate.js';
import type { KeywordMatches } from './find-candidates.js';
import { ageInDays, type FusionShares, fuse } from './fuse.js';
import type { RankedChunk } from './rank.js';
import { isCopy, type PromotedLines } from './repeats.js';
import { createTermMatcher } from './term-matcher.js';
import type { SearchMode, SearchOptions } from './types.js';

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
) {
  try {
    return await combineScores(index, input, options);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'PROVIDER_ANSWER_INVALID') throw error;
    if (input.vector !== undefined) options.embedder?.reject(input.vector, error);
    const message = `keyword search only: ${error.message}`;
    warnings.push({ code: 'PROVIDER_UNAVAILABLE', message, hint: error.hint });
    return combineScores(index, { ...input, vector: undefined }, options);
  }
}

/** All findings in their final order. */
export type Findings = Awaited<ReturnType<typeof combineScores>>;

/** Combines keywords, vectors and age into one score per candidate. */
async function combineScores(
  index: MemoryIndex,
  { vector, ...input }: CombineInput,
  { hybrid, halfLifeDays, nowMs, ...options }: SearchOptions,
) {
  const { keywords } = input;
  const mode: SearchMode = vector === undefined ? 'lexical' : hybrid ? 'hybrid' : 'vector';
  const shares = mode === 'hybrid' ? options.shares : ONE_SIDE[mode];
  const backgrounds = vector && (await backgroundsOf(index, vector));
  /** Cosines by chunk id. */
  const { chunks, similarities } =
    vector === undefined || backgrounds === undefined
      ? { chunks: keywords.candidates, similarities: new Map<number, number>() }
      : await joinCandidates(index, {
          ...input,
          vector,
          media: backgrounds.media,
          standsOut: (chunkId, similarity) =>
            !hybrid || vectorScore(similarity, backgrounds.of(chunkId)) > 0,
        });
  const ranking = await keywords.rank(chunks);
  const scored = ranking.chunks.filter(
    ({ chunk }) => mode !== 'vector' || similarities.has(chunk.chunkId),
  );
  const candidates = scored.map((ranked) => {
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
      similarity: mode === 'vector' ? similarity : undefined,
      ageDays: ageInDays({ source, path, modifiedMs }, nowMs),
    };
  });
  const fused = fuse(candidates, { shares, halfLifeDays });
  /** Of the documents among the candidates. */
  const promoted = await promotedAmong(index, scored);
  const { matcher } = keywords;
  /** For each query term: its weight among the lines of the candidates. */
  const { lineWeights } = ranking;
  return { mode, fused, shares, similarities, matcher, lineWeights, promoted };
}

const ONE_SIDE: Readonly<Record<'lexical' | 'vector', FusionShares>> = {
  lexical: { text: 1, vector: 0 },
  vector: { text: 0, vector: 1 },
};

interface JoinInput extends Omit<CombineInput, 'keywords'> {
  readonly keywords: Pick<KeywordMatches, 'candidates' | 'match' | 'query'>;
  readonly vector: QueryVector;
  /** Whether to search media separately. */
  readonly media: boolean;
  /** Whether a passage is nearer to the query than chance. */
  readonly standsOut: (chunkId: number, similarity: number) => boolean;
}

/**
 * The passages that keywords or vectors find, each once, with the cosines of those that have a vector. A candidate of
 * one side gets its actual score on the other, instead of zero. Vector matches no better than chance are used only when
 * there are too few keyword matches.
 */
export async function joinCandidates(index: MemoryIndex, input: JoinInput) {
  const { keywords, vector, limit, standsOut } = input;
  const { candidates: lexical, match } = keywords;
  const near = await nearest(index, input);
  const known = new Set(lexical.map(({ chunkId }) => chunkId));
  const isAllowed = constraintOf(input);
  const added = near.filter(
    (chunk) =>
      !known.has(chunk.chunkId) &&
      (lexical.length < limit || standsOut(chunk.chunkId, chunk.similarity)) &&
      isAllowed(chunk),
  );
  const addedIds = added.map(({ chunkId }) => chunkId);
  const scores =
    match === undefined || added.length === 0
      ? new Map<number, number>()
      : await index.lexicalScores(match, addedIds);
  const similarities = new Map(near.map(({ chunkId, similarity }) => [chunkId, similarity]));
  const unseen = [...known].filter((chunkId) => !similarities.has(chunkId));
  const rest = await index.similarities(vector.identity, vector.vector, unseen);
  for (const [chunkId, similarity] of rest) similarities.set(chunkId, similarity);
  const chunks = added.map(({ similarity: _, ...chunk }): LexicalCandidate => {
    return { ...chunk, bm25: scores.get(chunk.chunkId) ?? 0 };
  });
  return { chunks: [...lexical, ...chunks], similarities };
}

/** Media are queried separately, because any text may be nearer than the right picture. */
async function nearest(
  index: MemoryIndex,
  { vector: { identity, vector }, limit, filter, media }: JoinInput,
): Promise<readonly VectorCandidate[]> {
  const near = await index.vectorCandidates(identity, vector, limit, filter);
  if (!media) return near;
  const kinds = ['media'] as const;
  const pictures = await index.vectorCandidates(identity, vector, limit, { ...filter, kinds });
  return uniqueBy([...near, ...pictures], ({ chunkId }) => chunkId);
}

/** Required and excluded terms apply to vector matches too, in the texts that the full-text index has of them. */
function constraintOf({ keywords, tokenizer }: JoinInput): (chunk: VectorCandidate) => boolean {
  const { required, excluded } = keywords.query;
  if (required.length + excluded.length === 0) return () => true;
  const matcher = createTermMatcher([...required, ...excluded], tokenizer);
  return (chunk) => {
    const whole = [...chunk.headingPath, fileNameWords(chunk), chunk.text].join('\n');
    const present = new Set(matcher(whole).hits.map(({ term }) => term));
    return (
      required.every((_, term) => present.has(term)) &&
      excluded.every((_, position) => !present.has(required.length + position))
    );
  };
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
