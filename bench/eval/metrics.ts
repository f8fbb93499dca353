import type { SearchResult } from '../../src/engine/memory/search/types.js';

/** Where the answer to a question stands. */
export interface Evidence {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** The line's text, to see whether a snippet shows it. */
  readonly text: string;
}

/** What one question scored; each figure 0 to 1 except `chars`. */
export interface QuestionScores {
  readonly 'R@5': number;
  readonly 'R@10': number;
  readonly MRR: number;
  readonly nDCG: number;
  readonly 'Hit@5': number;
  readonly 'Hit@10': number;
  readonly 'ER@10': number;
  readonly 'Seen@10': number;
  readonly 'ER@4k': number;
  readonly none: number;
  readonly chars: number;
}

/** The part of a search result that the metrics look at. */
export type ScoredResult = Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'snippet'>;

const FIRST_CHARACTERS = 4000;

/**
 * Scores the first ten results of a question. File metrics look at distinct files, hit and evidence
 * recall at line ranges, "seen" at the returned text: a line counts as seen when at least half of
 * its word triples stand there.
 */
export function scoreQuestion(
  results: readonly ScoredResult[],
  evidence: readonly Evidence[],
): QuestionScores {
  const top = results.slice(0, 10);
  const files = [...new Set(top.map((result) => result.path))];
  const relevant = new Set(evidence.map((item) => item.file));
  const recall = (count: number): number =>
    files.slice(0, count).filter((file) => relevant.has(file)).length / relevant.size;
  const firstRelevant = files.findIndex((file) => relevant.has(file));
  const covered = (count: number): Evidence[] =>
    evidence.filter((item) => top.slice(0, count).some((result) => covers(result, item)));
  const text = top.map((result) => result.snippet).join('\n');
  const seen = evidence.filter((item) => isReadable(item.text, text));
  const early = evidence.filter((item) => isReadable(item.text, text.slice(0, FIRST_CHARACTERS)));
  return {
    'R@5': recall(5),
    'R@10': recall(10),
    MRR: firstRelevant === -1 ? 0 : 1 / (firstRelevant + 1),
    nDCG: discountedGain(files, relevant),
    'Hit@5': covered(5).length > 0 ? 1 : 0,
    'Hit@10': covered(10).length > 0 ? 1 : 0,
    'ER@10': covered(10).length / evidence.length,
    'Seen@10': seen.length > 0 ? 1 : 0,
    'ER@4k': early.length / evidence.length,
    none: results.length === 0 ? 1 : 0,
    chars: top.reduce((sum, result) => sum + result.snippet.length, 0),
  };
}

/** The mean of each figure. */
export function meanScores(scores: readonly QuestionScores[]): QuestionScores {
  const mean = (name: keyof QuestionScores): number =>
    scores.reduce((sum, score) => sum + score[name], 0) / Math.max(1, scores.length);
  return {
    'R@5': mean('R@5'),
    'R@10': mean('R@10'),
    MRR: mean('MRR'),
    nDCG: mean('nDCG'),
    'Hit@5': mean('Hit@5'),
    'Hit@10': mean('Hit@10'),
    'ER@10': mean('ER@10'),
    'Seen@10': mean('Seen@10'),
    'ER@4k': mean('ER@4k'),
    none: mean('none'),
    chars: mean('chars'),
  };
}

function covers(result: ScoredResult, item: Evidence): boolean {
  return result.path === item.file && result.startLine <= item.line && result.endLine >= item.line;
}

/** Binary gain over the first ten distinct files, log2 discount, against all relevant ones first. */
function discountedGain(files: readonly string[], relevant: ReadonlySet<string>): number {
  const gain = (position: number): number => 1 / Math.log2(position + 2);
  const found = files
    .slice(0, 10)
    .reduce((sum, file, position) => sum + (relevant.has(file) ? gain(position) : 0), 0);
  let ideal = 0;
  for (let position = 0; position < Math.min(10, relevant.size); position++)
    ideal += gain(position);
  return found / ideal;
}

function isReadable(line: string, text: string): boolean {
  const triples = triplesOf(line);
  const shown = new Set(triplesOf(text));
  const found = triples.filter((triple) => shown.has(triple)).length;
  return found * 2 >= triples.length && triples.length > 0;
}

function triplesOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < 3) return words.length === 0 ? [] : [words.join(' ')];
  return words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`);
}
