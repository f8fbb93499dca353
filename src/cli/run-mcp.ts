import type { EngineContext } from '../engine/context.js';
import type { McpLog, McpWorld } from '../engine/mcp/index.js';
import type { GivenSession } from '../engine/mcp/mcp-world.js';
import type { McpOutput } from '../engine/mcp/output-schemas.js';
import type { OpenedMemory } from '../engine/memory/open-memory.js';
import type { SecretMask } from '../engine/secrets/mask/secret-mask.js';

/** How the server is run. */
export interface McpRunOptions {
  readonly context: EngineContext;
  readonly mask: SecretMask;
  /** Of this program. */
  readonly version: string;
  readonly session: GivenSession;
  /** Undefined speaks on stdin and stdout. */
  readonly http: { readonly port: number } | undefined;
  /** Opens the memory that is meant, as one that lives long; closed by whoever gives it. */
  readonly open: () => Promise<OpenedMemory>;
  readonly verbose: boolean;
  /** Warnings are left out too. */
  readonly quiet: boolean;
}

/** What is still at work this long after the end was ordered does not hold the process up. */
const LONGEST_END_MS = 5000;

/**
 * Serves until the client leaves or a signal comes. stdout carries nothing but the protocol; what the
 * server tells of itself goes to stderr.
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
  // Nobody reads what the server tells of itself any more: no reason to end.
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
      process.stderr.write(`listening on ${listener.url}\nthe token is in ${token.file}\n`);
    }
    world.memory.warmUp();
    const reason = await stopped;
    return { transport: 'http', url: listener.url, tokenFile: token.file, reason };
  } finally {
    await listener.close();
  }
}

/** Ctrl-C and SIGTERM; whoever asks twice does not want to wait. */
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
