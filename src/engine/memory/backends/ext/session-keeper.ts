import type { ToolQuestion } from './tool/ask-program.js';
import type { McpSession } from './tool/mcp-session.js';
import { type Tool, ToolFailure } from './tool/open-tool.js';
import type { ToolAnswer } from './tool/read-answer.js';
import type { RunOptions } from './tool/run-tool.js';

/** A program that stays running between queries. */
export type Session = Pick<McpSession, 'ask' | 'close'>;
/** Starts one. */
export type OpenSession = (tool: Tool) => Promise<Session>;

interface Kept {
  readonly key: string;
  readonly opened: Promise<Session>;
  /** Why it broke, as the first query saw it. */
  failure: unknown;
}

/** After this many failures in a row the program is no longer kept running: each try costs a start. */
const MOST_BREAKS = 3;

/**
 * Keeps one program running for the queries of a long-lived process. Queries can run in parallel; a session
 * that breaks is closed, and the next query starts another.
 */
export class SessionKeeper {
  private readonly open: OpenSession;
  private kept: Kept | undefined;
  /** The program, and how many sessions broke since its last answer. */
  private breaks = { key: '', count: 0 };
  private isClosed = false;

  constructor(open: OpenSession) {
    this.open = open;
  }

  /**
   * @returns undefined when the program should be run per query instead
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
      // A cancelled query leaves the session to the others.
      run.signal?.throwIfAborted();
      kept.failure ??= error;
      if (this.kept === kept) {
        this.breaks = { key: tool.key, count: this.breaksOf(tool) + 1 };
        this.kept = undefined;
      }
      await letGo(kept);
      // After a crash the program is run per query; after a timeout that would not help.
      const { failure } = kept;
      if (failure instanceof ToolFailure && failure.code === 'BACKEND_FAILED') return undefined;
      throw failure;
    }
  }

  /** Ends the program; the next query starts it again. */
  async end(): Promise<void> {
    const { kept } = this;
    this.kept = undefined;
    if (kept !== undefined) await letGo(kept);
  }

  /** Ends it permanently. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.end();
  }

  private keptFor(tool: Tool): Kept {
    if (this.kept?.key === tool.key) return this.kept;
    // Another release has been installed.
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
