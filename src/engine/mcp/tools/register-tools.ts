import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { SvcError } from '../../errors/index.js';
import type { SyncEvent } from '../../memory/sync/index.js';
import { anySignal } from '../../support/async.js';
import {
  admission,
  allows,
  failureOf,
  failureText,
  type McpContext,
  type McpWriting,
  mayWrite,
  withAudit,
} from '../mcp-context.js';
import { getLines, getText, searchMemory, searchText, warningTexts } from './answers.js';
import { linksText, listLinks, listRecent, recentText } from './browse.js';
import {
  type AddAnswer,
  type AddInput,
  addInput,
  addResult,
  getInput,
  getResult,
  linksInput,
  linksResult,
  recentInput,
  recentResult,
  searchInput,
  searchResult,
} from './schemas.js';

const READS_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

/**
 * Claude Code shows a model the names of tools only, until it searches for them, which it seldom does. With this, it has
 * the tool from the first turn; other clients ignore it.
 */
const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true } as const;

/** Registers the tools that the client can use. */
export function registerTools(server: McpServer, context: McpContext): void {
  if (allows(context, 'search')) {
    const more = allows(context, 'read') ? '; use memory_get to read more' : '';
    server.registerTool(
      'memory_search',
      {
        title: 'Search memory',
        description: `Searches remembered notes and past conversations. Use it before answering about earlier work, decisions, dates, people, preferences or to-dos. Returns passages with their locations${more}.`,
        inputSchema: searchInput,
        outputSchema: searchResult,
        annotations: READS_ONLY,
        _meta: ALWAYS_LOADED,
      },
      toolCallback(context, 'memory_search', searchMemory, (answer, { query }) =>
        searchText(answer, query),
      ),
    );
  }
  if (allows(context, 'read')) {
    server.registerTool(
      'memory_get',
      {
        title: 'Read memory',
        description:
          'Reads lines of a remembered file: the context of a passage that was found, or a file from its start. Returns 120 lines by default, and where to continue.',
        inputSchema: getInput,
        outputSchema: getResult,
        annotations: READS_ONLY,
        _meta: ALWAYS_LOADED,
      },
      toolCallback(context, 'memory_get', getLines, getText),
    );
    server.registerTool(
      'memory_recent',
      {
        title: 'Recent changes',
        description:
          'Lists the remembered files that changed last, the newest first. Use it to catch up; read them with memory_get.',
        inputSchema: recentInput,
        outputSchema: recentResult,
        annotations: READS_ONLY,
      },
      toolCallback(context, 'memory_recent', listRecent, recentText),
    );
    server.registerTool(
      'memory_links',
      {
        title: 'Links of a note',
        description:
          'Lists the notes that a note links to, and those that link to it. Use it to find what belongs to a passage that was found.',
        inputSchema: linksInput,
        outputSchema: linksResult,
        annotations: READS_ONLY,
      },
      toolCallback(context, 'memory_links', listLinks, linksText),
    );
  }
  if (mayWrite(context)) {
    const { writing } = context;
    const add: ToolHandler<AddInput, AddAnswer> = (input, signal) =>
      addToMemory(input, signal, context, writing);
    server.registerTool(
      'memory_add',
      {
        title: 'Add to memory',
        description:
          "Adds text to today's note or to another note. Use it for what the user asks you to remember, and for lasting decisions and facts. Text that looks like a secret is refused. The user can take it back.",
        inputSchema: addInput,
        outputSchema: addResult,
        annotations: {
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        _meta: ALWAYS_LOADED,
      },
      toolCallback(context, 'memory_add', add, addText),
    );
  }
}

type ToolHandler<Input, Answer> = (
  input: Input,
  signal: AbortSignal,
  context: McpContext,
) => Promise<Answer>;

/** A tool's callback; an error becomes a result that the agent can act on. */
function toolCallback<Input, Answer extends object>(
  context: McpContext,
  tool: string,
  handle: ToolHandler<Input, Answer>,
  textOf: (answer: Answer, input: Input) => string,
): (input: Input, call: ServerContext) => Promise<CallToolResult> {
  return async (input, call) => {
    const onEvent = progressOf(call);
    const stop = onEvent === undefined ? undefined : context.memory.onSync(onEvent);
    try {
      return await withAudit<CallToolResult>(context, tool, call, async () => {
        try {
          const answer = await handle(input, call.mcpReq.signal, context);
          const content = textContent(textOf(answer, input));
          return { result: { content, structuredContent: { ...answer } }, outcome: 'ok' };
        } catch (error) {
          const failure = failureOf(error, context, call.mcpReq.signal);
          const result = { content: textContent(failureText(failure)), isError: true };
          return { result, outcome: failure.code };
        }
      });
    } finally {
      stop?.();
    }
  };
}

function textContent(text: string): CallToolResult['content'] {
  return [{ type: 'text', text }];
}

/** Reports the progress of a sync to clients that requested it. */
function progressOf({ mcpReq }: ServerContext): ReturnType<typeof progressNotes> | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return progressNotes({
    now: () => performance.now(),
    notify: (note) => {
      const params = { progressToken, ...note };
      // The client may be gone.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  });
}

/** A progress notification of the protocol. */
export interface ProgressNote {
  /** Files and passages done; never decreases. */
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

interface ProgressOptions {
  readonly notify: (note: ProgressNote) => void;
  /** Monotonic clock. */
  readonly now: () => number;
}

/** Clients display it: faster updates would flicker. */
const MIN_INTERVAL_MS = 200;

/** Converts sync events to progress notifications. */
export function progressNotes({ notify, now }: ProgressOptions): (event: SyncEvent) => void {
  let files = 0;
  let passages = 0;
  let totalFiles: number | undefined;
  let totalPassages = 0;
  let notifiedAt = Number.NEGATIVE_INFINITY;
  let notifiedProgress = -1;
  const report = (message: string): void => {
    const progress = files + passages;
    if (progress <= notifiedProgress || now() - notifiedAt < MIN_INTERVAL_MS) return;
    notifiedAt = now();
    notifiedProgress = progress;
    const total = totalFiles === undefined ? undefined : totalFiles + totalPassages;
    notify({ progress, ...(total === undefined ? {} : { total }), message });
  };
  return (event) => {
    switch (event.type) {
      case 'scan.finished':
        totalFiles = files + event.filesToIndex;
        break;
      case 'document.indexed':
      case 'document.unchanged':
        files += 1;
        report(`indexing ${event.path}`);
        break;
      case 'embed.started':
        totalPassages = passages + event.passages;
        break;
      case 'embed.stored':
        passages += event.passages;
        report('embedding passages');
        break;
    }
  };
}

/** A sweep of dreaming can take minutes; an agent does not wait that long. */
const LONGEST_WAIT_MS = 20_000;

/**
 * Adds text to a note for the server's session, and reports it to the audit log.
 *
 * @param signal aborts when the client cancels
 * @throws SvcError as addNote
 */
async function addToMemory(
  input: AddInput,
  signal: AbortSignal,
  { memory: live, session }: McpContext,
  { context, onWrite }: McpWriting,
): Promise<AddAnswer> {
  const memory = await live.opened();
  const refusal = admission(memory.agent.scope, session);
  if (refusal !== undefined) {
    return { outcome: 'refused', id: null, disabled: true, warnings: [refusal] };
  }
  const { addNote } = await import('../../notes/index.js');
  const deadline = AbortSignal.timeout(LONGEST_WAIT_MS);
  const options = { context, signal: anySignal([signal, deadline]) };
  const added = await addNote(memory, { ...input, origin: 'mcp' }, options).catch((cause) => {
    throw deadline.aborted ? busy(cause) : cause;
  });
  const { outcome, id, citation, text } = added;
  if (id !== null)
    await onWrite({ write: id, citation, agent: memory.agentId, chars: text.length });
  return { outcome, id, citation, warnings: [] };
}

function busy(cause: unknown): SvcError {
  return new SvcError('NOTE_BUSY', 'another process is writing notes; nothing was added', {
    hint: 'try again in a few minutes',
    cause,
  });
}

function addText({ outcome, id, citation, warnings }: AddAnswer): string {
  switch (outcome) {
    case 'added':
      return `added to ${citation} as ${id}`;
    case 'known':
      return `${citation} already has it; nothing was added`;
    case 'refused':
      return warningTexts(warnings).join('\n\n');
  }
}
