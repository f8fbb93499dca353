import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import { createServer } from '../create-server.js';
import type { McpWorld } from '../mcp-world.js';
import { ENDPOINT, type Refusal, refusalOf } from './gate.js';
import { LegacySessions } from './legacy-sessions.js';
import type { HttpToken } from './token.js';
import { exchange } from './web-exchange.js';

/** How the protocol is served over HTTP. */
export interface HttpOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly token: HttpToken;
}

/** A listener on the loopback. */
export interface HttpListener {
  /** With the port that it got. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';
/** A question is short; what is larger than this is none. */
const MAX_BODY_BYTES = 1024 * 1024;
/** To send a request in; answers may stream for as long as they like. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Serves the protocol as streamable HTTP on the loopback, to those who bring the token.
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
  // A connection could not be taken, for want of file handles: the next one may.
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
    hint: 'give another port: --port NUMBER',
    cause: error,
  });
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not',
};
