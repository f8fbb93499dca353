import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './create-server.js';
import type { McpWorld } from './mcp-world.js';

/** Where the protocol comes in and goes out. */
export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** A connection over the streams of a process. */
export interface StdioConnection {
  /** Resolves when the client has closed its end, or cannot be written to any more. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
}

/** A message may have this size; no question comes near it. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Speaks the protocol over stdin and stdout, one message a line, with any revision the SDK knows. */
export function connectStdio(world: McpWorld, { stdin, stdout }: StdioStreams): StdioConnection {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const handle = serveStdio(() => createServer(world, true), {
    transport,
    onerror: (error) => world.log.warn(`protocol: ${error.message}`),
  });
  const closeServer = transport.onclose;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      closeServer?.();
      resolve();
    };
  });
  return { ended, close: () => handle.close() };
}
