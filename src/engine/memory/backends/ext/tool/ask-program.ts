import * as z from 'zod/mini';
import type { ResolvedMemory } from '../../../../config/index.js';
import type { DeepReadonly } from '../../../../errors/output-schema.js';
import { firstChars } from '../../../../support/text.js';
import { type Tool, ToolFailure } from './open-tool.js';
import { readAnswer, type ToolHit } from './read-answer.js';
import { msUntil, type RunOptions, runTool } from './run-tool.js';

/** Lexical, vectors, or both with re-ranking (spec/memory-search §2.12). */
export type ExtMode = ResolvedMemory['ext']['searchMode'];

export interface ToolQuestion {
  readonly mode: ExtMode;
  readonly query: string;
  /** At least one; answers come from these only. */
  readonly collections: readonly string[];
  readonly limit: number;
}

/**
 * Queries the program by running it: once for all collections if it supports that, else one after another.
 *
 * @throws ToolFailure; the signal's reason
 */
export async function askProgram(
  tool: Tool,
  features: ToolFeatures,
  question: ToolQuestion,
  { timeoutMs, signal }: RunOptions,
): Promise<readonly ToolHit[]> {
  const { collections } = question;
  const groups = features.manyCollections ? [collections] : collections.map((name) => [name]);
  const deadline = performance.now() + timeoutMs;
  const answers: (readonly ToolHit[])[] = [];
  for (const group of groups) {
    const args = argumentsOf(features, question, group);
    const { stdout } = await runTool(tool, args, { timeoutMs: msUntil(deadline), signal });
    answers.push(readAnswer(stdout));
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
  // After `--`, a query is never taken for an option.
  return [command, ...json, '-n', String(limit), ...filters, '--', oneLine(query)];
}

/** Linux limits an argument to 128 KiB. */
const MOST_QUESTION = 8000;

/** Newer releases would parse several lines as a document of typed queries. */
export function oneLine(query: string): string {
  const line = query.replaceAll(/[\s\0]+/gu, ' ').trim();
  return firstChars(line, MOST_QUESTION);
}

/** The hits of several answers, best first. */
export function merged(
  answers: readonly (readonly ToolHit[])[],
  limit: number,
): readonly ToolHit[] {
  const [only] = answers;
  if (only !== undefined && answers.length === 1) return only;
  const hits = answers.flat().toSorted((a, b) => b.score - a.score);
  return hits.slice(0, limit);
}

/** What one installed release supports. */
export const toolFeatures = z.object({
  /** `2.8.3`; null when it does not report one. */
  release: z.nullable(z.string()),
  /** The flag for a collection's pattern. */
  patternFlag: z.enum(['--glob', '--mask']),
  /** Whether one search can name several collections. */
  manyCollections: z.boolean(),
  /** The flag for JSON output. */
  json: z.array(z.string()),
  /** Whether it has a vector-only search; otherwise `query` is used. */
  vectorSearch: z.boolean(),
});
export type ToolFeatures = DeepReadonly<z.infer<typeof toolFeatures>>;

/**
 * Detects what a release supports, once per installed program; see ext-state.ts.
 *
 * @throws ToolFailure; BACKEND_UNAVAILABLE for a release without collections
 */
export async function detectFeatures(tool: Tool, options: RunOptions): Promise<ToolFeatures> {
  const [version, help] = await Promise.all([
    // The oldest releases have no --version; their help text is enough.
    runTool(tool, ['--version'], options).catch((error: unknown) => {
      if (error instanceof ToolFailure && error.code === 'BACKEND_FAILED') return undefined;
      throw error;
    }),
    runTool(tool, ['--help'], options),
  ]);
  const text = `${help.stdout}\n${help.stderr}`;
  if (!/\bcollection\b/u.test(text) || !/\bsearch\b/u.test(text)) throw tooOld(tool);
  const release = /(?<!\d)\d+\.\d+\.\d+(?:-[\w.]+)?/u.exec(version?.stdout ?? '')?.[0] ?? null;
  return { release, ...featuresIn(text) };
}

/** Parses a help text; its wording differs between releases. */
export function featuresIn(help: string): Omit<ToolFeatures, 'release'> {
  const filter = /--collection\b.*/u.exec(help)?.[0] ?? '';
  const onlyFormat = /--format\b/u.test(help) && !/--json\b/u.test(help);
  return {
    patternFlag: /--glob\b/u.test(help) && !/--mask\b/u.test(help) ? '--glob' : '--mask',
    manyCollections: /one or more|multiple|repeat/iu.test(filter),
    json: onlyFormat ? ['--format', 'json'] : ['--json'],
    vectorSearch: /\bvsearch\b/u.test(help),
  };
}

function tooOld({ program }: Tool): ToolFailure {
  return new ToolFailure(
    'BACKEND_UNAVAILABLE',
    `${program} is not a supported release of the external search program: its help does not mention collections`,
    'install a newer release: npm install -g @tobilu/qmd',
  );
}
