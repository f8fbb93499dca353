import type {
  CandidateFilter,
  LexicalCandidate,
  MemoryIndex,
  VectorCandidate,
} from '../index/memory-index.js';
import type { LexicalQuery } from './query.js';
import type { QueryVector } from './semantic.js';
import type { TermMatcher } from './term-matcher.js';

/** Passages that a question brought up, with what both sides know of each. */
export interface Candidates {
  /** From either side, each once; `bm25` is 0 where none of the words occurs. */
  readonly chunks: readonly LexicalCandidate[];
  /** Cosines by chunk id; a chunk without a vector is absent. */
  readonly similarities: ReadonlyMap<number, number>;
}

/** What brings candidates up. */
export interface CandidateQuestion {
  readonly query: LexicalQuery;
  /** The query as a full-text expression; undefined when it holds no words. */
  readonly match: string | undefined;
  /** What the words found. */
  readonly lexical: readonly LexicalCandidate[];
  readonly vector: QueryVector;
  readonly limit: number;
  readonly filter: CandidateFilter;
  /** Matches the query's required phrases, then its excluded ones, in their order. */
  readonly constraints: TermMatcher;
  /** Whether there are images and recordings to look through besides. */
  readonly media: boolean;
  /** Whether a passage is nearer to the question than chance would have it. */
  readonly standsOut: (chunkId: number, similarity: number) => boolean;
}

/**
 * Joins what the words found with what the vector finds. A candidate of one side gets its true figure
 * of the other too, instead of counting as nothing there. What the vector brings no nearer than chance
 * only fills up: beside enough that has the words it would be in their way.
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

/** Media are looked through by themselves: any text may be nearer than the right picture. */
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

/** What a person demands or forbids holds for passages found by meaning too. */
function isAllowed(
  { text, headingPath, path }: Pick<LexicalCandidate, 'headingPath' | 'path' | 'text'>,
  { query, constraints }: CandidateQuestion,
): boolean {
  const { required, excluded } = query;
  if (required.length + excluded.length === 0) return true;
  const whole = [...headingPath, path.replaceAll(/[/_.-]+/gu, ' '), text].join('\n');
  const present = new Set(constraints(whole).hits.map((hit) => hit.term));
  return (
    required.every((_, term) => present.has(term)) &&
    excluded.every((_, position) => !present.has(required.length + position))
  );
}
