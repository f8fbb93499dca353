import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import {
  createMcpHandler,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import { createServer } from '../create-server.js';
import type { McpWorld } from '../mcp-world.js';
import { LegacySessions } from './legacy-sessions.js';
import { bringsToken, type HttpToken } from './token.js';

export interface HttpOptions {
  /** 0 selects a free port. */
  readonly port: number;
  readonly token: HttpToken;
}

export interface HttpListener {
  /** With the actual port. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';
/** Far more than a request needs. */
const MAX_BODY_BYTES = 1024 * 1024;
/** For receiving a request; responses can stream indefinitely. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Serves streamable HTTP on the loopback address to clients with the token.
 *
 * @throws SvcError LISTEN_FAILED
 */
export async function listenHttp(world: McpWorld, options: HttpOptions): Promise<HttpListener> {
  const onError = (error: Error): void => world.log.warn(`protocol: ${error.message}`);
  const modern = createMcpHandler(() => createServer(world, false), {
    legacy: 'reject',
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: onError,
  });
  const legacy = new LegacySessions({
    createServer: () => createServer(world, true),
    maxRequestBodySize: MAX_BODY_BYTES,
    onError,
  });
  const quietly = world.memory.onListChange(() => modern.notify.resourcesChanged());
  const answer = async (request: Request): Promise<Response> => {
    const isLegacy = await isLegacyRequest(request, undefined, {
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    return isLegacy ? legacy.answer(request) : modern.fetch(request);
  };
  const server = createHttpServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (incoming, outgoing) => {
    const refusal = refusalOf(headOf(incoming), options.token);
    const answering = refusal === undefined ? answer : async () => refused(refusal);
    exchange(incoming, outgoing, answering).catch((error: unknown) => {
      world.log.warn(`a request failed: ${messageOf(error)}`);
      outgoing.destroy();
    });
  });
  const port = await listen(server, options.port);
  // A connection failed, for example for lack of file handles; the next may work.
  server.on('error', onError);
  return {
    url: `http://${HOST}:${port}${ENDPOINT}`,
    close: async () => {
      quietly();
      await Promise.all([modern.close(), legacy.close()]);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function headOf({ headers, url = '/' }: IncomingMessage) {
  const { host, origin, authorization } = headers;
  return { host, origin, authorization, path: url.split('?', 1)[0] ?? '/' };
}

function refused({ status, message }: Refusal): Response {
  const headers = new Headers(status === 401 ? { 'www-authenticate': 'Bearer' } : {});
  const error = { code: -32_000, message };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers });
}

async function listen(server: Server, wanted: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const onError = (error: Error): void => reject(listenFault(error, wanted));
    server.once('error', onError).listen(wanted, HOST, () => {
      server.off('error', onError);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : wanted;
}

function listenFault(error: Error, port: number): Error {
  const why = LISTEN_FAULTS[systemErrorCode(error) ?? ''];
  if (why === undefined) return error;
  return new SvcError('LISTEN_FAILED', `cannot listen on ${HOST}:${port}: ${why}`, {
    hint: 'use another port: --port NUMBER',
    cause: error,
  });
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'permission denied',
};

/** The parts of a request that are checked before its body is read. */
interface RequestHead {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  /** Without query. */
  readonly path: string;
}

interface Refusal {
  readonly status: 401 | 403 | 404;
  readonly message: string;
}

/** Path of the protocol. */
const ENDPOINT = '/mcp';

/**
 * Rejects requests from anything but local programs with the token. A web page can make a browser
 * send requests here with its own host name (DNS rebinding); `Host` and `Origin` reveal that.
 *
 * @returns undefined if the request is allowed
 */
function refusalOf(head: RequestHead, token: HttpToken): Refusal | undefined {
  if (!validateHostHeader(head.host, localhostAllowedHostnames()).ok) {
    return { status: 403, message: 'this server must be addressed as 127.0.0.1 or localhost' };
  }
  if (!validateOriginHeader(head.origin, localhostAllowedOrigins()).ok) {
    return { status: 403, message: 'requests from web pages are not allowed' };
  }
  if (!bringsToken(head.authorization, token)) {
    // The server printed where the token is when it started.
    return { status: 401, message: 'the bearer token is missing or wrong' };
  }
  if (head.path !== ENDPOINT) return { status: 404, message: `not found; use ${ENDPOINT}` };
  return undefined;
}

/** How long to wait for the first body chunk, to send it together with the head. */
const HEAD_WAITS_MS = 50;

/**
 * Answers a request of Node's server with a handler for web requests.
 *
 * @param answer receives a request whose signal aborts when the client disconnects early
 */
async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const left = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) left.abort();
  });
  await send(outgoing, await answer(webRequest(incoming, left.signal)));
}

function webRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, 'http://127.0.0.1'), {
    method,
    headers,
    signal,
    ...(hasBody ? { body: webStream(Readable.toWeb(incoming)), duplex: 'half' } : {}),
  });
}

async function send(outgoing: ServerResponse, response: Response): Promise<void> {
  if (outgoing.destroyed) {
    await response.body?.cancel();
    return;
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // Lets a waiting client know that the stream has started.
  const head = setTimeout(() => outgoing.flushHeaders(), HEAD_WAITS_MS);
  try {
    await pipeline(Readable.fromWeb(webStream(response.body)), outgoing);
  } catch (error) {
    // A disconnecting client is not an error; its request was aborted.
    if (!outgoing.destroyed) throw error;
  } finally {
    clearTimeout(head);
  }
}

/** The same class with two slightly different declarations, of streams and fetch. */
function webStream(stream: unknown): ReadableStream<Uint8Array> {
  if (stream instanceof ReadableStream) return stream;
  throw new TypeError('no web stream');
}
