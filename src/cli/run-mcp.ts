import type {
  DescribedSession,
  LiveMemory,
  McpContext,
  McpLog,
  McpOutput,
  McpWriting,
} from '../engine/mcp/index.js';
import type { OpenedMemory } from '../engine/memory/index.js';
import { deferred } from '../engine/support/async.js';
import { safeLines } from '../ui/safe-text.js';
import type { McpHttpOptions } from './serve-mcp-http.js';
import { writeStderr } from './stderr.js';

/** How the server runs. */
export interface McpRunOptions
  extends Pick<McpHttpOptions, 'configFile' | 'context' | 'mask' | 'quiet' | 'session'> {
  /** Version of this program. */
  readonly version: string;
  /** Undefined uses stdin and stdout. */
  readonly http: McpHttpOptions['http'] | undefined;
  /**
   * Opens a memory for a long-lived process; the caller closes it.
   *
   * @param agent null opens the memory that the flags name
   */
  readonly open: (agent: string | null) => Promise<OpenedMemory>;
  /** Whether agents can add to the notes of a memory. @param agent as for `open` */
  readonly mayWrite: (agent: string | null) => boolean;
  readonly verbose: boolean;
  /** Adds the flags that chose the memory to the commands in a hint. */
  readonly hintFor: (hint: string) => string;
}

/** How it ended; over stdin and stdout, only why. */
export type McpEnd = McpOutput | { readonly reason: McpOutput['reason'] | 'closed' };

const FOR_AGENTS =
  'note: waiting for an agent on stdin; run "svc integrate AGENT" to let it start this itself; Ctrl-C stops it';

/** Work that takes longer than this to stop is abandoned. */
const LONGEST_END_MS = 5000;

/**
 * Serves until the client disconnects or a signal arrives. stdout carries only the protocol; logs go to stderr.
 *
 * @throws SvcError MCP_TOKEN_UNUSABLE, MCP_HTTP_INSECURE, LISTEN_FAILED; those of loading a configuration
 */
export async function runMcp(options: McpRunOptions): Promise<McpEnd> {
  const { createLiveMemory, sessionOf } = await import('../engine/mcp/index.js');
  const { context, mask, version } = options;
  const log = logOnStderr(options);
  const writing: McpWriting = {
    context,
    onWrite: async (write) => {
      // Writes are rare, so the file is not kept open.
      const { openMcpAudit } = await import('./mcp-audit.js');
      const audit = openMcpAudit(context, mask, log);
      audit.logger.info(write, 'written');
      audit.close();
    },
  };
  const memories = new Map<string | null, LiveMemory>();
  const contextFor = (agent: string | null, session: DescribedSession): McpContext => {
    const open = (): Promise<OpenedMemory> => options.open(agent);
    const memory = memories.get(agent) ?? createLiveMemory({ open, clock: context.clock, log });
    memories.set(agent, memory);
    return {
      memory,
      session: sessionOf(session),
      mask,
      log,
      // Clients over HTTP are on other machines.
      hintFor: options.http === undefined ? options.hintFor : undefined,
      version,
      writing: options.mayWrite(agent) ? writing : undefined,
    };
  };
  const signals = waitForSignals();
  try {
    if (options.http === undefined) {
      // An agent starts it without a terminal.
      if (process.stdin.isTTY && !options.quiet) writeStderr(`${options.hintFor(FOR_AGENTS)}\n`);
      return await serveStdio(contextFor(null, options.session), signals.stopped);
    }
    const { serveHttp } = await import('./serve-mcp-http.js');
    return await serveHttp({ ...options, ...signals, http: options.http, log, contextFor });
  } finally {
    setTimeout(() => process.exit(), LONGEST_END_MS).unref();
    await Promise.all([...memories.values()].map((memory) => memory.close()));
    signals.close();
  }
}

interface Signals extends Pick<McpHttpOptions, 'abort' | 'stopped'> {
  readonly close: () => void;
}

async function serveStdio(mcpContext: McpContext, stopped: Signals['stopped']): Promise<McpEnd> {
  const { connectStdio } = await import('../engine/mcp/index.js');
  const connection = connectStdio(mcpContext, process);
  mcpContext.memory.warmUp();
  const reason = await Promise.race([stopped, connection.ended.then(() => 'closed' as const)]);
  await connection.close();
  return { reason };
}

/** Ctrl-C and SIGTERM; a second signal exits immediately. */
function waitForSignals(): Signals {
  const abort = new AbortController();
  const stopped = deferred<McpOutput['reason']>();
  const on = (reason: McpOutput['reason']): void => {
    if (abort.signal.aborted) process.exit(reason === 'SIGINT' ? 130 : 143);
    abort.abort();
    stopped.resolve(reason);
  };
  const onInterrupt = (): void => on('SIGINT');
  const onTerminate = (): void => on('SIGTERM');
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
  return {
    stopped: stopped.promise,
    abort: abort.signal,
    close: () => void process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate),
  };
}

function logOnStderr({ mask, verbose, quiet, hintFor }: McpRunOptions): McpLog {
  const say = (text: string): void => {
    writeStderr(`${safeLines(mask.text(text))}\n`);
  };
  return {
    info: (text) => {
      if (verbose) say(text);
    },
    warn: (text) => {
      if (!quiet) say(`warning: ${hintFor(text)}`);
    },
  };
}
