import type { OpenedMemory } from '../memory/index.js';
import { formatCitation } from '../memory/search/index.js';
import type { AnsweredQuestion, Answers } from './ask-memory.js';
import type { EvalOutput } from './output-schemas.js';
import { isMet, meets, type Target } from './score-question.js';

type MissOutput = EvalOutput['misses'][number];
type ReasonOf<Output> = Output extends MissOutput
  ? Omit<Output, 'expected' | 'id' | 'question' | 'workspace'>
  : never;

/** Why something expected is not among the results. */
type MissReason = ReasonOf<MissOutput>;

/** Something expected that is not in any result. */
export interface Miss {
  readonly answer: AnsweredQuestion;
  readonly target: Target;
  readonly reason: MissReason;
}

interface MissOptions {
  readonly maxResults: number;
  readonly signal: AbortSignal;
  /** The same memory with a candidate multiplier of 1, to list everything that a search ranks. */
  readonly pool: OpenedMemory;
  /** Number of candidates that a search for `maxResults` ranks. */
  readonly rankedCount: number;
}

const NAMED_ABOVE = 3;
/** The maximum of `--max-results`. */
const DEEPEST = 1000;

/** The misses of one memory with their reasons, in question order. */
export async function explainMisses(
  memory: Answers,
  options: MissOptions,
): Promise<readonly Miss[]> {
  const misses: Miss[] = [];
  for (const answer of memory.questions) {
    const missed = answer.targets.filter((target) => !isMet(target, answer.response.results));
    for (const target of missed) {
      misses.push({ answer, target, reason: await reasonOf(answer, target, memory, options) });
    }
  }
  return misses;
}

async function reasonOf(
  answer: AnsweredQuestion,
  target: Target,
  memory: Answers,
  options: MissOptions,
): Promise<MissReason> {
  const fault = await faultOf(target, memory, options);
  if (fault !== undefined) return fault;
  const { maxResults, rankedCount } = options;
  const { results, belowMinScore, mode, matches } = answer.response;
  const { place, found } = await placeOf(answer, target, rankedCount, options);
  if (found === undefined) {
    const deep = await placeOf(answer, target, DEEPEST, options);
    // By keywords, only chunks that match are ranked.
    const ranked = mode === 'lexical' ? Math.min(rankedCount, matches) : rankedCount;
    return { why: 'not-a-candidate', place: deep.place, ranked };
  }
  // Then everything with a higher score is a result.
  if (belowMinScore > 0) {
    return { why: 'below-min-score', place, score: found.score };
  }
  const above = results.slice(0, NAMED_ABOVE).map((result) => {
    return { citation: formatCitation(result), score: result.score };
  });
  // A larger search joins more passages, which may move this one up.
  return { why: 'outranked', place: Math.max(place, maxResults + 1), above };
}

/** A mistake in the expectation itself. */
async function faultOf(
  target: Target,
  { paths, files }: Answers,
  { pool, signal }: MissOptions,
): Promise<MissReason | undefined> {
  if (target.kind === 'text') {
    const quoted = `"${target.text.replaceAll('"', ' ')}"`;
    const request = { query: quoted, maxResults: 3, minScore: 0, lexicalOnly: true };
    const { results } = await pool.backend.search(request, { signal });
    return isMet(target, results) ? undefined : { why: 'text-unknown' };
  }
  if (!paths.has(target.path)) return { why: 'not-indexed' };
  if (target.kind === 'file') return undefined;
  const lines = await files(target.path);
  // In ascending order; too many to be arguments.
  const last = lines === null ? target.endLine : ([...lines.keys()].at(-1) ?? 0);
  return target.startLine > last ? { why: 'no-such-lines', lines: last } : undefined;
}

/** The 1-based rank of the first passage that meets the target. */
async function placeOf(
  { question }: AnsweredQuestion,
  target: Target,
  maxResults: number,
  { pool, signal }: MissOptions,
) {
  const { filters } = question;
  const request = { query: question.question, maxResults, minScore: 0, filters };
  const { results } = await pool.backend.search(request, { signal });
  signal.throwIfAborted();
  const at = results.findIndex((result) => meets(target, result));
  const found = results[at];
  return found === undefined ? { place: null, found } : { place: at + 1, found };
}
