import { existsSync } from 'node:fs';
import { STOP_WORDS } from '../../search/stop-words.js';
import type { SearchRequest } from '../../search/types.js';
import type { Source } from '../../types.js';
import type { ExtMode, ExtSettings } from './ext-settings.js';
import { knownFeatures } from './known-features.js';
import { askProgram, type ToolQuestion } from './tool/ask-program.js';
import type { McpSession } from './tool/mcp-session.js';
import type { Tool } from './tool/open-tool.js';
import type { ToolAnswer, ToolHit } from './tool/read-answer.js';
import type { RunOptions } from './tool/run-tool.js';
import { ToolFailure } from './tool/tool-failure.js';

/** Keeps the program running between questions. */
export type OpenSession = (tool: Tool) => Promise<McpSession>;

/** More than asked for, where hits may fall away: filters, twice the same passage. */
const SPARE = 3;

/** Puts questions to the program: to one that is kept running where there is one, else by running it. */
export class ExtAsker {
  private readonly settings: ExtSettings;
  private readonly openSession: OpenSession | undefined;
  private session: { readonly key: string; readonly opened: Promise<McpSession> } | undefined;

  /** @param openSession undefined for a process that soon ends */
  constructor(settings: ExtSettings, openSession: OpenSession | undefined) {
    this.settings = settings;
    this.openSession = openSession;
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
    const collections = this.settings.collections().filter(({ root }) => existsSync(root));
    const sources: readonly Source[] = request.sources ?? ['memory', 'sessions'];
    const limit = (request.maxResults ?? limits.maxResults) * SPARE;
    const groups = sources
      .map((source) => collections.filter((one) => one.source === source).map(({ name }) => name))
      .filter((names) => names.length > 0);
    const mode = this.modeFor(request);
    const answers = await Promise.all(
      groups.map((names) =>
        this.askWords(tool, { mode, query: request.query, collections: names, limit }, signal),
      ),
    );
    return interleaved(answers);
  }

  /** The mode of a question; an answer while somebody types never waits for models. */
  modeFor({ lexicalOnly }: SearchRequest): ExtMode {
    return lexicalOnly === true ? 'search' : this.settings.mode;
  }

  /** Lets go of a program that runs; the next question begins it anew. */
  async endSession(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    const opened = await session?.opened.catch(() => undefined);
    await opened?.close();
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
    const answer = await this.askSession(tool, question, run);
    if (answer !== undefined) return answer;
    const features = await knownFeatures(tool, this.settings, run.signal);
    return askProgram(tool, features, question, run);
  }

  private async askSession(
    tool: Tool,
    question: ToolQuestion,
    run: RunOptions,
  ): Promise<ToolAnswer | undefined> {
    if (this.openSession === undefined) return undefined;
    if (this.session?.key !== tool.key) {
      await this.endSession();
      this.session = { key: tool.key, opened: this.openSession(tool) };
    }
    const session = await this.session.opened;
    try {
      return await session.ask(question, run);
    } catch (error) {
      await this.endSession();
      // One that died is run instead; one that takes too long would do so again.
      if (error instanceof ToolFailure && error.code === 'BACKEND_FAILED') return undefined;
      throw error;
    }
  }
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
