import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { failureOf, failureText } from '../failure.js';
import type { McpWorld } from '../mcp-world.js';
import { progressNotes } from '../progress.js';
import { getLines } from './memory-get.js';
import { searchMemory } from './memory-search.js';
import { getInput, getResult, searchInput, searchResult } from './schemas.js';
import { getText, searchText } from './words.js';

const READS_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

/** Gives a server `memory_search` and `memory_get`. */
export function registerTools(server: McpServer, world: McpWorld): void {
  server.registerTool(
    'memory_search',
    {
      title: 'Search memory',
      description:
        'Searches the notes and past conversations that are remembered. Use it before answering about earlier work, decisions, dates, people, preferences or to-dos. Gives passages with their places; memory_get reads on from there.',
      inputSchema: searchInput,
      outputSchema: searchResult,
      annotations: READS_ONLY,
    },
    (input, call) =>
      answered(call, world, async (signal) => {
        const answer = await searchMemory(input, signal, world);
        return { text: searchText(answer, input.query), answer };
      }),
  );
  server.registerTool(
    'memory_get',
    {
      title: 'Read remembered lines',
      description:
        'Reads lines of a remembered file: the surroundings of a passage that memory_search found, or a file from its beginning. Gives 120 lines unless a number is asked for, and says where to go on.',
      inputSchema: getInput,
      outputSchema: getResult,
      annotations: READS_ONLY,
    },
    (input, call) =>
      answered(call, world, async (signal) => {
        const answer = await getLines(input, signal, world);
        return { text: getText(answer), answer };
      }),
  );
}

interface Answered {
  readonly text: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/** Does the work of one call; a failure becomes a result that the agent can act on. */
async function answered(
  call: ServerContext,
  world: McpWorld,
  run: (signal: AbortSignal) => Promise<Answered>,
): Promise<CallToolResult> {
  const onEvent = progressOf(call);
  const stop = onEvent === undefined ? undefined : world.memory.onSync(onEvent);
  try {
    const { text, answer } = await run(call.mcpReq.signal);
    return { content: [{ type: 'text', text }], structuredContent: { ...answer } };
  } catch (error) {
    const text = failureText(failureOf(error, world));
    return { content: [{ type: 'text', text }], isError: true };
  } finally {
    stop?.();
  }
}

/** Tells a client that asked for it how far a sync is that its call waits for. */
function progressOf({ mcpReq }: ServerContext): ReturnType<typeof progressNotes> | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return progressNotes({
    now: () => performance.now(),
    tell: (note) => {
      const params = { progressToken, ...note };
      // A client that is gone needs no progress.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  });
}
