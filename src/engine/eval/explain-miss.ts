import type { OpenedMemory } from '../memory/open-memory.js';
import { formatCitation } from '../memory/search/citation.js';
import type { SearchResult } from '../memory/search/types.js';
import type { AskedMemory, AskedQuestion } from './ask-memory.js';
import { meets, type Target } from './score-question.js';

/** Why something that was expected is not among the results. */
export type MissReason =
  /** Memory does not cover the file. */
  | { readonly why: 'not-indexed' }
  /** The file is covered and is shorter. */
  | { readonly why: 'no-such-lines'; readonly lines: number }
  /** The text stands in nothing that a search for it brings up. */
  | { readonly why: 'text-unknown' }
  /**
   * No passage of it is among those that are ranked; its place by a search that ranks far more, null
   * where not even that brings it up.
   */
  | { readonly why: 'not-a-candidate'; readonly place: number | null; readonly ranked: number }
  /** It was ranked, and others stood above it. */
  | { readonly why: 'outranked'; readonly place: number; readonly above: readonly Ranked[] }
  | { readonly why: 'below-min-score'; readonly place: number; readonly score: number };

/** A passage that stood above. */
export interface Ranked {
  readonly citation: string;
  readonly score: number;
}

/** One expected thing that no result brought up. */
export interface Miss {
  readonly asked: AskedQuestion;
  readonly target: Target;
  readonly reason: MissReason;
}

/** What misses are looked into with. */
export interface MissOptions {
  readonly maxResults: number;
  readonly signal: AbortSignal;
  /**
   * The same memory with as many candidates as results are asked for, so that a search for all that a
   * search of {@link maxResults} ranks can be made.
   */
  readonly pool: OpenedMemory;
  /** How many candidates such a search ranks. */
  readonly ranked: number;
}

/** Names above are the first few: they say what it was taken for. */
const NAMED_ABOVE = 3;
/** As deep as a search goes (`--max-results`). */
const DEEPEST = 1000;

/** The misses among the answers of one memory, with their reasons; in the order of the questions. */
export async function explainMisses(
  memory: AskedMemory,
  options: MissOptions,
): Promise<readonly Miss[]> {
  const misses: Miss[] = [];
  for (const asked of memory.asked) {
    const missed = asked.targets.filter(
      (target) => !asked.response.results.some((result) => meets(target, result)),
    );
    for (const target of missed) {
      misses.push({ asked, target, reason: await reasonOf(asked, target, memory, options) });
    }
  }
  return misses;
}

async function reasonOf(
  asked: AskedQuestion,
  target: Target,
  memory: AskedMemory,
  options: MissOptions,
): Promise<MissReason> {
  const known = await faultOf(target, memory, options);
  if (known !== undefined) return known;
  const { maxResults, ranked } = options;
  const { results, belowMinScore } = asked.response;
  const { place, found } = await placeOf(asked, target, ranked, options);
  if (found === undefined) {
    const deep = await placeOf(asked, target, DEEPEST, options);
    return { why: 'not-a-candidate', place: deep.place, ranked };
  }
  if (place <= results.length + belowMinScore && belowMinScore > 0) {
    return { why: 'below-min-score', place, score: found.score };
  }
  const above = results.slice(0, NAMED_ABOVE).map(toRanked);
  // Of all that is ranked more passages are joined: it may have moved up by that.
  return { why: 'outranked', place: Math.max(place, maxResults + 1), above };
}

/** What is wrong with the expectation itself. */
async function faultOf(
  target: Target,
  { paths, files }: AskedMemory,
  { pool, signal }: MissOptions,
): Promise<MissReason | undefined> {
  if (target.kind === 'text') {
    const quoted = `"${target.text.replaceAll('"', ' ')}"`;
    const request = { query: quoted, maxResults: 3, minScore: 0, lexicalOnly: true };
    const { results } = await pool.backend.search(request, { signal });
    return results.some((result) => meets(target, result)) ? undefined : { why: 'text-unknown' };
  }
  if (!paths.has(target.path)) return { why: 'not-indexed' };
  if (target.kind === 'file') return undefined;
  const lines = await files.linesOf(target.path);
  const last = lines === null ? target.endLine : Math.max(0, ...lines.keys());
  return target.startLine > last ? { why: 'no-such-lines', lines: last } : undefined;
}

type Place =
  | { readonly place: number; readonly found: SearchResult }
  | { readonly place: null; readonly found: undefined };

/** The 1-based place of the first passage that has what is expected, among so many. */
async function placeOf(
  { question }: AskedQuestion,
  target: Target,
  maxResults: number,
  { pool, signal }: MissOptions,
): Promise<Place> {
  const request = { query: question.question, maxResults, minScore: 0 };
  const { results } = await pool.backend.search(request, { signal });
  signal.throwIfAborted();
  const at = results.findIndex((result) => meets(target, result));
  const found = results[at];
  return found === undefined ? { place: null, found } : { place: at + 1, found };
}

function toRanked(result: SearchResult): Ranked {
  return { citation: formatCitation(result.path, result), score: result.score };
}
