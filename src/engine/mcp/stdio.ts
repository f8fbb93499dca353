import { finished, PassThrough, type Readable, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { deferred, withinTime } from '../support/async.js';
import { readLines } from '../support/read-lines.js';
import { parsedJson } from '../support/text.js';
import { createServer } from './create-server.js';
import type { McpContext } from './mcp-context.js';

/** Far more than a request needs. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** A client that closes stdin to stop the server does not wait longer either. */
const LONGEST_LAST_ANSWER_MS = 30_000;

/**
 * Serves the protocol over stdin and stdout, in any revision the SDK supports. The SDK gets only messages: it
 * silently drops any other line, does not support batches, and ends at a line that is too long.
 *
 * @returns `ended` resolves when the client has disconnected, after the answers to its earlier requests
 */
export function connectStdio(
  context: McpContext,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
) {
  const requests = openRequests();
  // Each answer that waits until the client reads adds one, which Node.js would take for a leak.
  stdout.setMaxListeners(0);
  const input = new PassThrough();
  const refuse = ({ code, id, why }: Refusal): void => {
    context.log.warn(`protocol: refused ${why}`);
    const message = `${code === PARSE_ERROR ? 'Parse error' : 'Invalid Request'}: ${why}`;
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  };
  readLines(stdin, {
    mostBytes: MAX_MESSAGE_BYTES,
    onTooLong: () => refuse({ code: INVALID_REQUEST, id: null, why: 'a line of more than 4 MiB' }),
    onLine: (line) => {
      for (const message of messagesIn(line)) {
        if (message.ok) input.write(`${message.text}\n`);
        else refuse(message);
      }
    },
  });
  const report = (error: Error): void => context.log.warn(`protocol: ${error.message}`);
  stdin.on('error', report);
  // The SDK drops requests in progress when its input ends, so that ends after their answers.
  finished(stdin, { writable: false }, () => {
    void requests.allAnswered(LONGEST_LAST_ANSWER_MS).then(() => input.end());
  });
  const transport = new StdioServerTransport(input, stdout, {
    maxBufferSize: Number.POSITIVE_INFINITY,
  });
  const handle = serveStdio(() => createServer(context, true), { transport, onerror: report });
  requests.watch(transport);
  const closeServer = transport.onclose;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      requests.giveUp();
      stdin.pause();
      closeServer?.();
      resolve();
    };
  });
  return { ended, close: () => handle.close() };
}

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

interface Refusal {
  readonly code: typeof INVALID_REQUEST | typeof PARSE_ERROR;
  /** That of the request, if it can be known. */
  readonly id: number | string | null;
  readonly why: string;
}

type ReadMessage =
  | { readonly ok: true; readonly text: string }
  | ({ readonly ok: false } & Refusal);

/** The messages of a line: one, or those of a batch, which revision 2025-03-26 has. */
function messagesIn(line: string): readonly ReadMessage[] {
  if (line.trim() === '') return [];
  const value = parsedJson(line);
  if (value === undefined) {
    return [{ ok: false, code: PARSE_ERROR, id: null, why: 'a line that is not JSON' }];
  }
  if (!Array.isArray(value)) return [readMessage(value)];
  if (value.length > 0) return value.map(readMessage);
  return [{ ok: false, code: INVALID_REQUEST, id: null, why: 'an empty batch' }];
}

function readMessage(value: unknown): ReadMessage {
  try {
    parseJSONRPCMessage(value);
    return { ok: true, text: JSON.stringify(value) };
  } catch {
    const id: unknown = Object(value).id;
    return {
      ok: false,
      code: INVALID_REQUEST,
      id: typeof id === 'string' || typeof id === 'number' ? id : null,
      why: 'a message that is not JSON-RPC',
    };
  }
}

/** The requests of a client that have no answer yet. */
function openRequests() {
  const ids = new Set<unknown>();
  let answered = deferred<void>();
  const settle = (id: unknown): void => {
    ids.delete(id);
    if (ids.size === 0) answered.resolve();
  };
  const received = (message: Parameters<StdioServerTransport['send']>[0]): void => {
    if (!('method' in message)) return;
    if (message.method === 'notifications/cancelled') settle(message.params?.['requestId']);
    // A subscription lasts as long as the connection.
    if ('id' in message && message.method !== 'subscriptions/listen') ids.add(message.id);
  };
  return {
    /** Call after a server was connected to the transport. */
    watch: (transport: StdioServerTransport): void => {
      const receive = transport.onmessage;
      transport.onmessage = (message) => {
        received(message);
        receive?.(message);
      };
      const send = transport.send.bind(transport);
      transport.send = async (message) => {
        await send(message);
        if (!('method' in message)) settle(message.id);
      };
    },
    /** Resolves when every request that was read is answered, or after the time limit. */
    allAnswered: async (limitMs: number): Promise<void> => {
      // Messages that were just read reach the transport in a later turn of the event loop.
      await setImmediate();
      if (ids.size === 0) return;
      answered = deferred();
      await withinTime(limitMs, undefined, () => answered.promise);
    },
    /** The client is gone. */
    giveUp: (): void => {
      ids.clear();
      answered.resolve();
    },
  };
}
