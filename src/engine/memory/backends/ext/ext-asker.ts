import { existsSync } from 'node:fs';
import { STOP_WORDS } from '../../search/stop-words.js';
import type { SearchRequest } from '../../search/types.js';
import type { Source } from '../../types.js';
import type { ExtMode, ExtSettings } from './ext-settings.js';
import { knownFeatures } from './known-features.js';
import { saysSomething } from './request-warnings.js';
import { type OpenSession, SessionKeeper } from './session-keeper.js';
import { askProgram, type ToolQuestion } from './tool/ask-program.js';
import type { Tool } from './tool/open-tool.js';
import type { ToolAnswer, ToolHit } from './tool/read-answer.js';
import type { RunOptions } from './tool/run-tool.js';

/** More than asked for, where hits may fall away: filters, twice the same passage. */
const SPARE = 3;
/** More than any answer has room for; several hundred are more text than is read of a program. */
const MOST_HITS = 100;

/** Puts questions to the program: to one that is kept running where there is one, else by running it. */
export class ExtAsker {
  private readonly settings: ExtSettings;
  private readonly session: SessionKeeper | undefined;

  /** @param openSession undefined for a process that soon ends */
  constructor(settings: ExtSettings, openSession: OpenSession | undefined) {
    this.settings = settings;
    this.session = openSession === undefined ? undefined : new SessionKeeper(openSession);
  }

  /**
   * The hits of all sources, each asked for by itself, side by side.
   *
   * @throws ToolFailure; the signal's reason
   */
  async ask(
    tool: Tool,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<readonly ToolHit[]> {
    const { limits } = this.settings;
    // To the program a question without a word is none, and an error.
    if (!saysSomething(request)) return [];
    const collections = this.settings.collections().filter(({ root }) => existsSync(root));
    const sources = new Set<Source>(request.sources ?? ['memory', 'sessions']);
    const limit = hitsFor(request, limits.maxResults);
    const groups = [...sources]
      .map((source) => collections.filter((one) => one.source === source).map(({ name }) => name))
      .filter((names) => names.length > 0);
    const mode = modeFor(request, this.settings);
    const answers = await Promise.all(
      groups.map((names) =>
        this.askWords(tool, { mode, query: request.query, collections: names, limit }, signal),
      ),
    );
    return interleaved(answers);
  }

  /** Lets go of a program that runs; the next question begins it anew. */
  async endSession(): Promise<void> {
    await this.session?.end();
  }

  /** Lets go of it for good. */
  async close(): Promise<void> {
    await this.session?.close();
  }

  /** By words alone it wants all of them: where that finds nothing, those of every question are left out. */
  private async askWords(
    tool: Tool,
    question: ToolQuestion,
    signal: AbortSignal | undefined,
  ): Promise<readonly ToolHit[]> {
    const run = { timeoutMs: this.settings.limits.timeoutMs, signal };
    const { hits } = await this.put(tool, question, run);
    if (hits.length > 0 || question.mode !== 'search') return hits;
    const query = withoutStopWords(question.query);
    return query === undefined ? hits : (await this.put(tool, { ...question, query }, run)).hits;
  }

  private async put(tool: Tool, question: ToolQuestion, run: RunOptions): Promise<ToolAnswer> {
    const answer = await this.session?.ask(tool, question, run);
    if (answer !== undefined) return answer;
    const features = await knownFeatures(tool, this.settings, run.signal);
    return askProgram(tool, features, question, run);
  }
}

/** The mode of a question; an answer while somebody types never waits for models. */
export function modeFor(
  { lexicalOnly }: SearchRequest,
  { mode }: Pick<ExtSettings, 'mode'>,
): ExtMode {
  return lexicalOnly === true ? 'search' : mode;
}

/** Of those that a filter takes few, more are looked at. */
function hitsFor({ maxResults, pathGlob }: SearchRequest, usual: number): number {
  return pathGlob !== undefined ? MOST_HITS : Math.min(MOST_HITS, (maxResults ?? usual) * SPARE);
}

/** A question without the words that every question has; undefined where none is left, or all are. */
function withoutStopWords(query: string): string | undefined {
  const words = query.split(/\s+/u).filter((word) => word !== '');
  const telling = words.filter(
    (word) => !STOP_WORDS.has(word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')),
  );
  return telling.length === 0 || telling.length === words.length ? undefined : telling.join(' ');
}

/** The best of each source, then the second of each, and so on. */
function interleaved(answers: readonly (readonly ToolHit[])[]): readonly ToolHit[] {
  const longest = Math.max(0, ...answers.map((hits) => hits.length));
  return Array.from({ length: longest }, (_, at) =>
    answers.flatMap((hits) => hits[at] ?? []),
  ).flat();
}
