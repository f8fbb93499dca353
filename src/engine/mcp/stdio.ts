import { type Readable, Transform, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './create-server.js';
import type { McpWorld } from './mcp-world.js';

interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

interface StdioConnection {
  /** Resolves when the client has disconnected, and has the answers to what it asked before. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Far more than a request needs. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** A client that closes stdin to stop the server does not wait longer either. */
const LONGEST_LAST_ANSWER_MS = 30_000;

/** Serves the protocol over stdin and stdout, in any revision the SDK supports. */
export function connectStdio(world: McpWorld, { stdin, stdout }: StdioStreams): StdioConnection {
  const requests = new OpenRequests();
  // The SDK drops requests in progress when its input ends, so that ends after their answers.
  const input = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => void requests.answered(LONGEST_LAST_ANSWER_MS).then(() => done()),
  });
  const report = (error: Error): void => world.log.warn(`protocol: ${error.message}`);
  stdin.on('error', report).on('close', () => input.end());
  stdin.pipe(input);
  const transport = new StdioServerTransport(input, stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const handle = serveStdio(() => createServer(world, true), { transport, onerror: report });
  requests.watch(transport);
  const closeServer = transport.onclose;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      requests.giveUp();
      stdin.unpipe(input).pause();
      closeServer?.();
      resolve();
    };
  });
  return { ended, close: () => handle.close() };
}

type Message = Parameters<StdioServerTransport['send']>[0];

/** The requests of a client that have no answer yet. */
class OpenRequests {
  private readonly ids = new Set<unknown>();
  private onAnswered: () => void = () => undefined;

  /** Call after a server was connected to the transport. */
  watch(transport: StdioServerTransport): void {
    const receive = transport.onmessage;
    transport.onmessage = (message) => {
      this.received(message);
      receive?.(message);
    };
    const send = transport.send.bind(transport);
    transport.send = async (message) => {
      await send(message);
      if (!('method' in message)) this.settle(message.id);
    };
  }

  /** Resolves when every request that was read is answered, or the time is over. */
  async answered(limitMs: number): Promise<void> {
    // What was just read is still on its way.
    await setImmediate();
    if (this.ids.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.onAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The client is gone. */
  giveUp(): void {
    this.ids.clear();
    this.onAnswered();
  }

  private received(message: Message): void {
    if (!('method' in message)) return;
    if (message.method === 'notifications/cancelled') this.settle(message.params?.['requestId']);
    // A subscription lasts as long as the connection.
    if ('id' in message && message.method !== 'subscriptions/listen') this.ids.add(message.id);
  }

  private settle(id: unknown): void {
    this.ids.delete(id);
    if (this.ids.size === 0) this.onAnswered();
  }
}
