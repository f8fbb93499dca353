import type { ToolQuestion } from './tool/ask-program.js';
import type { McpSession } from './tool/mcp-session.js';
import { type Tool, ToolFailure } from './tool/open-tool.js';
import type { ToolHit } from './tool/read-answer.js';
import type { RunOptions } from './tool/run-tool.js';

/** A program that stays running between queries. */
export type Session = Pick<McpSession, 'ask' | 'close'>;
/** Starts one. */
export type OpenSession = (tool: Tool) => Promise<Session>;

export type KeptSession = ReturnType<typeof keepSession>;

interface RunningSession {
  readonly key: string;
  readonly session: Promise<Session>;
  /** Why it broke, as the first query saw it. */
  failure: unknown;
}

/** After this many failures in a row the program is no longer kept running: each try costs a start. */
const MOST_BREAKS = 3;

/**
 * Keeps one program running for the queries of a long-lived process. Queries can run in parallel; a session
 * that breaks is closed, and the next query starts another.
 */
export function keepSession(open: OpenSession) {
  let current: RunningSession | undefined;
  /** The program, and how many sessions broke since its last answer. */
  let breaks = { key: '', count: 0 };
  let isClosed = false;
  const breaksOf = ({ key }: Tool): number => (breaks.key === key ? breaks.count : 0);
  const sessionFor = (tool: Tool): RunningSession => {
    if (current?.key === tool.key) return current;
    // Another release has been installed.
    if (current !== undefined) void closeSession(current);
    current = { key: tool.key, session: open(tool), failure: undefined };
    return current;
  };
  /** Ends the program; the next query starts it again. */
  const end = async (): Promise<void> => {
    const running = current;
    current = undefined;
    if (running !== undefined) await closeSession(running);
  };
  return {
    end,
    /** Ends it permanently. */
    close: (): Promise<void> => {
      isClosed = true;
      return end();
    },
    /**
     * @returns undefined when the program should be run per query instead
     * @throws ToolFailure BACKEND_TIMEOUT; the signal's reason
     */
    ask: async (
      tool: Tool,
      question: ToolQuestion,
      run: RunOptions,
    ): Promise<readonly ToolHit[] | undefined> => {
      if (isClosed || breaksOf(tool) >= MOST_BREAKS) return undefined;
      const running = sessionFor(tool);
      try {
        const session = await running.session;
        const answer = await session.ask(question, run);
        breaks = { key: tool.key, count: 0 };
        return answer;
      } catch (error) {
        // A cancelled query leaves the session to the others.
        run.signal?.throwIfAborted();
        running.failure ??= error;
        if (current === running) {
          breaks = { key: tool.key, count: breaksOf(tool) + 1 };
          current = undefined;
        }
        await closeSession(running);
        // After a crash the program is run per query; after a timeout that would not help.
        const { failure } = running;
        if (failure instanceof ToolFailure && failure.code === 'BACKEND_FAILED') return undefined;
        throw failure;
      }
    },
  };
}

async function closeSession(running: RunningSession): Promise<void> {
  const session = await running.session.catch(() => undefined);
  await session?.close();
}
