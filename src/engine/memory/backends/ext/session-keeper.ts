import type { ToolQuestion } from './tool/ask-program.js';
import type { McpSession } from './tool/mcp-session.js';
import type { Tool } from './tool/open-tool.js';
import type { ToolAnswer } from './tool/read-answer.js';
import type { RunOptions } from './tool/run-tool.js';
import { ToolFailure } from './tool/tool-failure.js';

/** A program that is kept running between questions. */
export type Session = Pick<McpSession, 'ask' | 'close'>;
/** Begins one. */
export type OpenSession = (tool: Tool) => Promise<Session>;

interface Kept {
  readonly key: string;
  readonly opened: Promise<Session>;
  /** What the first question said that broke it. */
  failure: unknown;
}

/** A program that broke so often in a row is not begun again: each try costs a start of it. */
const MOST_BREAKS = 3;

/**
 * Keeps one program running for the questions of a long-lived process. Any number of questions may be
 * put at the same time; one that breaks is let go of, and the next question begins another.
 */
export class SessionKeeper {
  private readonly open: OpenSession;
  private kept: Kept | undefined;
  /** Of which program how many broke since the last answer. */
  private breaks = { key: '', count: 0 };
  private isClosed = false;

  constructor(open: OpenSession) {
    this.open = open;
  }

  /**
   * @returns undefined where the program is to be run for the question instead
   * @throws ToolFailure BACKEND_TIMEOUT; the signal's reason
   */
  async ask(tool: Tool, question: ToolQuestion, run: RunOptions): Promise<ToolAnswer | undefined> {
    if (this.isClosed || this.breaksOf(tool) >= MOST_BREAKS) return undefined;
    const kept = this.keptFor(tool);
    try {
      const session = await kept.opened;
      const answer = await session.ask(question, run);
      this.breaks = { key: tool.key, count: 0 };
      return answer;
    } catch (error) {
      // Whoever gives up its own question leaves the program to the others.
      run.signal?.throwIfAborted();
      kept.failure ??= error;
      if (this.kept === kept) {
        this.breaks = { key: tool.key, count: this.breaksOf(tool) + 1 };
        this.kept = undefined;
      }
      await letGo(kept);
      // One that died is run instead; one that takes too long would do so again.
      const { failure } = kept;
      if (failure instanceof ToolFailure && failure.code === 'BACKEND_FAILED') return undefined;
      throw failure;
    }
  }

  /** Lets go of the program; the next question begins it anew. */
  async end(): Promise<void> {
    const { kept } = this;
    this.kept = undefined;
    if (kept !== undefined) await letGo(kept);
  }

  /** Lets go of it for good. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.end();
  }

  private keptFor(tool: Tool): Kept {
    if (this.kept?.key === tool.key) return this.kept;
    // Another release stands in its place.
    if (this.kept !== undefined) void letGo(this.kept);
    const kept = { key: tool.key, opened: this.open(tool), failure: undefined };
    this.kept = kept;
    return kept;
  }

  private breaksOf({ key }: Tool): number {
    return this.breaks.key === key ? this.breaks.count : 0;
  }
}

async function letGo({ opened }: Kept): Promise<void> {
  const session = await opened.catch(() => undefined);
  await session?.close();
}
