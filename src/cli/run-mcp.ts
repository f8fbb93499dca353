import type { GivenSession, McpLog, McpOutput, McpWorld } from '../engine/mcp/index.js';
import type { OpenedMemory } from '../engine/memory/index.js';
import type { SecretMask } from '../engine/secrets/index.js';
import type { EngineContext } from '../engine/support/context.js';

/** How the server runs. */
export interface McpRunOptions {
  readonly context: EngineContext;
  readonly mask: SecretMask;
  /** Version of this program. */
  readonly version: string;
  readonly session: GivenSession;
  /** Undefined uses stdin and stdout. */
  readonly http: { readonly port: number } | undefined;
  /** Opens the memory for a long-lived process; the caller closes it. */
  readonly open: () => Promise<OpenedMemory>;
  readonly verbose: boolean;
  /** Hides warnings too. */
  readonly quiet: boolean;
}

/** Work that takes longer than this to stop is abandoned. */
const LONGEST_END_MS = 5000;

/**
 * Serves until the client disconnects or a signal arrives. stdout carries only the protocol; logs go to stderr.
 *
 * @throws SvcError MCP_TOKEN_UNUSABLE, LISTEN_FAILED
 */
export async function runMcp(options: McpRunOptions): Promise<McpOutput> {
  const { LiveMemory, sessionOf } = await import('../engine/mcp/index.js');
  const { context, mask, version } = options;
  const log = logOnStderr(options);
  const memory = new LiveMemory({ open: options.open, clock: context.clock, log });
  const world = { memory, session: sessionOf(options.session), mask, log, version };
  const signals = waitForSignals();
  // Keep serving when stderr is closed.
  process.stderr.on('error', () => undefined);
  try {
    return await (options.http === undefined
      ? serveStdio(world, signals.stopped)
      : serveHttp(world, { ...options, port: options.http.port }, signals));
  } finally {
    setTimeout(() => process.exit(), LONGEST_END_MS).unref();
    await memory.close();
    signals.close();
  }
}

type Stopped = 'SIGINT' | 'SIGTERM';

interface Signals {
  readonly stopped: Promise<Stopped>;
  readonly abort: AbortSignal;
  readonly close: () => void;
}

async function serveStdio(world: McpWorld, stopped: Promise<Stopped>): Promise<McpOutput> {
  const { connectStdio } = await import('../engine/mcp/index.js');
  const connection = connectStdio(world, process);
  world.memory.warmUp();
  const reason = await Promise.race([stopped, connection.ended.then(() => 'closed' as const)]);
  await connection.close();
  return { transport: 'stdio', url: null, tokenFile: null, reason };
}

async function serveHttp(
  world: McpWorld,
  { context, mask, port, quiet }: McpRunOptions & { readonly port: number },
  { stopped, abort }: Signals,
): Promise<McpOutput> {
  const { listenHttp, loadToken } = await import('../engine/mcp/index.js');
  const token = await loadToken(context.state.stateDir, abort);
  mask.learn(token.value);
  const listener = await listenHttp(world, { port, token });
  try {
    if (!quiet) {
      process.stderr.write(`listening on ${listener.url}\ntoken file: ${token.file}\n`);
    }
    world.memory.warmUp();
    const reason = await stopped;
    return { transport: 'http', url: listener.url, tokenFile: token.file, reason };
  } finally {
    await listener.close();
  }
}

/** Ctrl-C and SIGTERM; a second signal exits immediately. */
function waitForSignals(): Signals {
  const abort = new AbortController();
  let stop: (reason: Stopped) => void = () => undefined;
  const stopped = new Promise<Stopped>((resolve) => {
    stop = resolve;
  });
  const on = (reason: Stopped): void => {
    if (abort.signal.aborted) process.exit(reason === 'SIGINT' ? 130 : 143);
    abort.abort();
    stop(reason);
  };
  const onInterrupt = (): void => on('SIGINT');
  const onTerminate = (): void => on('SIGTERM');
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
  return {
    stopped,
    abort: abort.signal,
    close: () => void process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate),
  };
}

function logOnStderr({ mask, verbose, quiet }: McpRunOptions): McpLog {
  const say = (text: string): void => {
    process.stderr.write(`${mask.text(text)}\n`);
  };
  return {
    info: (text) => {
      if (verbose) say(text);
    },
    warn: (text) => {
      if (!quiet) say(`warning: ${text}`);
    },
  };
}
