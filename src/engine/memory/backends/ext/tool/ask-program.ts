import type { ExtMode } from '../ext-settings.js';
import type { ToolFeatures } from './features.js';
import type { Tool } from './open-tool.js';
import { readAnswer, type ToolAnswer, type ToolHit } from './read-answer.js';
import { type RunOptions, runTool } from './run-tool.js';

/** A question to the program. */
export interface ToolQuestion {
  readonly mode: ExtMode;
  readonly query: string;
  /** At least one; answers come from these alone. */
  readonly collections: readonly string[];
  readonly limit: number;
}

/**
 * Asks the program by running it: once for all collections where it takes several, else one after
 * another.
 *
 * @throws ToolFailure; the signal's reason
 */
export async function askProgram(
  tool: Tool,
  features: ToolFeatures,
  question: ToolQuestion,
  { timeoutMs, signal }: RunOptions,
): Promise<ToolAnswer> {
  const { collections } = question;
  const groups = features.manyCollections ? [collections] : collections.map((name) => [name]);
  const deadline = performance.now() + timeoutMs;
  const answers: ToolAnswer[] = [];
  for (const group of groups) {
    const left = Math.max(1, Math.round(deadline - performance.now()));
    const args = argumentsOf(features, question, group);
    const { stdout, stderr } = await runTool(tool, args, { timeoutMs: left, signal });
    answers.push(readAnswer(stdout, stderr));
  }
  return merged(answers, question.limit);
}

function argumentsOf(
  { json, vectorSearch }: ToolFeatures,
  { mode, query, limit }: ToolQuestion,
  collections: readonly string[],
): readonly string[] {
  const command = mode === 'vsearch' && !vectorSearch ? 'query' : mode;
  const filters = collections.flatMap((name) => ['-c', name]);
  // After `--` no question is taken for an option.
  return [command, ...json, '-n', String(limit), ...filters, '--', oneLine(query)];
}

/** The system takes no longer argument than 128 KiB; what a question says, it says before. */
const MOST_QUESTION = 8000;

/** Several lines would be a document of typed questions to newer releases. */
export function oneLine(query: string): string {
  const line = query.replaceAll(/[\s\0]+/gu, ' ').trim();
  // Half of a character is none.
  return line.slice(0, MOST_QUESTION).replace(/[\uD800-\uDBFF]$/, '');
}

/** Several answers as one, best first. */
export function merged(answers: readonly ToolAnswer[], limit: number): ToolAnswer {
  const [only] = answers;
  if (only !== undefined && answers.length === 1) return only;
  const hits = answers
    .flatMap((answer) => answer.hits)
    .toSorted((a: ToolHit, b: ToolHit) => b.score - a.score)
    .slice(0, limit);
  const counts = answers.flatMap(({ withoutVectors }) => withoutVectors ?? []);
  return { hits, withoutVectors: counts.length === 0 ? undefined : Math.max(...counts) };
}
