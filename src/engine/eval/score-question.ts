import { documentName, type SearchResult } from '../memory/search/index.js';
import { uniqueBy } from '../support/lists.js';
import { folded } from '../support/text.js';
import type { Metrics } from './metrics.js';
import type { Expectation } from './question-file.js';

/** An expectation, with the text of its lines if it is a range of lines. */
export type Target = Expectation & { readonly lineTexts?: readonly string[] };

/** The part of a search result that is scored. */
export type ScoredResult = Pick<
  SearchResult,
  'endLine' | 'origin' | 'path' | 'snippet' | 'startLine'
>;

const FIRST = 5;
const FIRST_CHARACTERS = 4000;

/**
 * Scores the results for a question. Recall, MRR and nDCG use distinct files, in the order of their first
 * results; a text counts as the file of the first result that contains it. Hits and evidence use line ranges
 * and the returned text.
 *
 * @param maxResults limit of results, and so of the best possible gain
 */
export function scoreQuestion(
  results: readonly ScoredResult[],
  targets: readonly Target[],
  maxResults: number,
): Metrics {
  const ranks = ranksOf(results, targets);
  const found = ranks.filter((rank) => rank !== undefined);
  const recall = (files: number): number =>
    found.filter((rank) => rank < files).length / Math.max(1, ranks.length);
  const evidence = targets.flatMap(evidenceOf);
  const shareOf = (isFound: (item: Evidence) => boolean): number | null =>
    evidence.length === 0 ? null : evidence.filter(isFound).length / evidence.length;
  const text = results.map(({ snippet }) => snippet).join('\n');
  const readable = shareOf((item) => isContained(item.text, text));
  const beginning = text.slice(0, FIRST_CHARACTERS);
  return {
    recall5: recall(FIRST),
    recall: recall(Number.POSITIVE_INFINITY),
    mrr: found.length === 0 ? 0 : 1 / (Math.min(...found) + 1),
    ndcg: discountedGain(ranks, maxResults),
    hit5: targets.some((target) => isMet(target, results.slice(0, FIRST))) ? 1 : 0,
    hit: targets.some((target) => isMet(target, results)) ? 1 : 0,
    evidence: shareOf(({ target }) => isMet(target, results)),
    seen: readable === null ? null : Math.ceil(readable),
    evidence4k: shareOf((item) => isContained(item.text, beginning)),
    none: results.length === 0 ? 1 : 0,
    characters: results.reduce((sum, { snippet }) => sum + snippet.length, 0),
  };
}

/** Whether a result meets an expectation: any of the lines, or any passage of the file. */
export function meets(target: Target, result: ScoredResult): boolean {
  switch (target.kind) {
    case 'file':
      return isNamed(target.path, result);
    case 'lines':
      return (
        isNamed(target.path, result) &&
        result.startLine <= target.endLine &&
        result.endLine >= target.startLine
      );
    case 'text':
      return isContained(target.text, result.snippet);
  }
}

/** Whether a name is that of a result's file, which in a shared memory may be one of any host, or of the named one. */
function isNamed(name: string, result: ScoredResult): boolean {
  return result.path === name || documentName(result) === name;
}

/** Whether one of the results meets an expectation. */
export function isMet(target: Target, results: readonly ScoredResult[]): boolean {
  return results.some((result) => meets(target, result));
}

/** The 0-based rank of each expectation among the distinct files; each file counts once. */
function ranksOf(
  results: readonly ScoredResult[],
  targets: readonly Target[],
): readonly (number | undefined)[] {
  const files = uniqueBy(results, documentName);
  const rankOf = (isFile: (file: ScoredResult) => boolean): number | undefined => {
    const rank = files.findIndex(isFile);
    return rank === -1 ? undefined : rank;
  };
  const expectedFiles = new Set(
    targets.flatMap((target) => (target.kind === 'text' ? [] : [target.path])),
  );
  const texts = targets.flatMap((target) => {
    if (target.kind !== 'text') return [];
    const found = results.find((result) => meets(target, result));
    const name = found && documentName(found);
    return [rankOf((file) => documentName(file) === name)];
  });
  const named = [...expectedFiles].map((name) => rankOf((file) => isNamed(name, file)));
  return [...named, ...texts];
}

/** Two expectations found in one file count as one gain, also in the best order. */
function discountedGain(ranks: readonly (number | undefined)[], maxResults: number): number {
  const found = ranks.filter((rank) => rank !== undefined);
  const distinct = new Set(found);
  const best = Math.min(maxResults, ranks.length - (found.length - distinct.size));
  return sumOfGains([...distinct]) / sumOfGains(Array.from({ length: best }, (_, rank) => rank));
}

function sumOfGains(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 2), 0);
}

/** A line or text that results should contain. */
interface Evidence {
  readonly target: Target;
  readonly text: string;
}

function evidenceOf(target: Target): readonly Evidence[] {
  if (target.kind === 'file') return [];
  if (target.kind === 'text') return [{ target, text: target.text }];
  const lines = Array.from({ length: target.endLine - target.startLine + 1 }, (_, at): Evidence => {
    const line = target.startLine + at;
    const text = target.lineTexts?.[at] ?? '';
    return { target: { ...target, startLine: line, endLine: line }, text };
  });
  // Blank lines and rules are not evidence, unless there is nothing else.
  const withWords = lines.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  return withWords.length === 0 ? lines.slice(0, 1) : withWords;
}

/** Words per compared run. */
const RUN = 3;

/**
 * Whether a text is contained in another: at least half of its runs of three words are. Ignores punctuation,
 * case and omissions. A shorter text is one run; a text without words is never contained.
 */
function isContained(text: string, shown: string): boolean {
  const words = wordsOf(text);
  const size = Math.min(RUN, words.length);
  if (size === 0) return false;
  const shownRuns = new Set(runsOf(wordsOf(shown), size));
  const runs = runsOf(words, size);
  return runs.filter((run) => shownRuns.has(run)).length * 2 >= runs.length;
}

/** The words of a text, in lower case and in one form of Unicode. */
export function wordsOf(text: string): readonly string[] {
  return folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

function runsOf(words: readonly string[], size: number): readonly string[] {
  return words.slice(size - 1).map((_, at) => words.slice(at, at + size).join(' '));
}
