import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ListenAddress } from '../../config/index.js';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import {
  createHttpServer,
  cutLater,
  leaveBodies,
  renewCertificate,
} from '../../listener/http-server.js';
import { clientAddressOf, listenOn } from '../../listener/listen.js';
import type { Clock } from '../../support/context.js';
import { fileStamp } from '../../support/files.js';
import type { McpLog } from '../live-memory.js';
import type { McpCall, McpContext } from '../mcp-context.js';
import { liveTokens } from '../tokens/token-store.js';
import { ENDPOINT, Gate, type Holder, type RequestHead } from './gate.js';
import { type HolderEndpoint, holderEndpoint } from './holder-endpoint.js';
import type { HttpSettings } from './http-settings.js';

export interface HttpOptions {
  readonly settings: HttpSettings;
  readonly stateDir: string;
  readonly clock: Clock;
  /** Token of programs on this machine; only if no others can connect. */
  readonly local: Holder | undefined;
  /** What the holder of a token gets. Called once per holder. */
  readonly contextOf: (holder: Holder, onCall: (call: McpCall) => void) => McpContext;
  readonly log: McpLog;
  /** One line per call and per refused request, without contents. */
  readonly audit: Logger;
}

/** For receiving a request; responses can stream indefinitely. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Long enough for any network, short enough against idle attackers. */
const HEADERS_TIMEOUT_MS = 10_000;
/**
 * A revoked or expired token loses its open streams after this time, and a renewed certificate is in effect after
 * twice as long; requests lose a token at once.
 */
const SWEEP_EVERY_MS = 1000;

/** Serves streamable HTTP to clients with a valid token. @throws SvcError LISTEN_FAILED, MCP_HTTP_INSECURE */
export async function listenHttp(options: HttpOptions) {
  const { settings, stateDir, clock, local, log, audit } = options;
  const tokens = liveTokens(stateDir, clock, (why) => log.warn(why));
  const holders = () => (local === undefined ? tokens() : [local, ...tokens()]);
  if (holders().length === 0) {
    throw new SvcError('MCP_HTTP_INSECURE', 'there is no valid token for clients', {
      hint: 'create one: "svc mcp token create NAME"',
    });
  }
  const server = createServer(options);
  const endpoints = new Map<string, HolderEndpoint>();
  const endpointOf = (holder: Holder): HolderEndpoint => {
    const known = endpoints.get(holder.hash);
    if (known !== undefined) return known;
    const onCall = (call: McpCall): void => audit.info({ token: holder.name, ...call }, 'called');
    const endpoint = holderEndpoint(holder, options.contextOf(holder, onCall));
    endpoints.set(holder.hash, endpoint);
    return endpoint;
  };
  let gate: Gate | undefined;
  server.route({
    // Web requests cannot have this one.
    method: server.supportedMethods.filter((method) => method !== 'TRACE'),
    url: '*',
    handler: (request, reply) => {
      reply.hijack();
      const opened = gate;
      if (opened === undefined) return;
      const head = headOf(request);
      const decision = opened.decide(head);
      const { client } = head;
      const answer = async (signal: AbortSignal): Promise<Response> => {
        const served =
          decision.kind === 'served'
            ? await endpointOf(decision.holder).answer(webRequest(request.raw, signal), client)
            : decision.response;
        const response = served ?? opened.unauthorized(head).response;
        const { status } = response;
        if (status >= 400 && status !== 429) {
          audit.warn({ client, status, token: decision.holder?.name }, 'refused');
        }
        return response;
      };
      const extraHeaders = { ...headersOf(reply), ...opened.crossOriginHeaders(head) };
      exchange(reply.raw, extraHeaders, answer)
        .then(() => discardRest(request.raw))
        .catch((error: unknown) => {
          log.warn(`a request failed: ${messageOf(error)}`);
          reply.raw.destroy();
        });
    },
  });
  const origin = await listen(server, settings);
  const url = `${origin}${ENDPOINT}`;
  gate = new Gate({ settings, url, holders, clock });
  // A connection failed, for example for lack of file handles; the next may work.
  server.server.on('error', (error) => log.warn(`protocol: ${error.message}`));
  const checkCertificate = watchCertificate(server, settings.address, log);
  const sweep = setInterval(() => {
    checkCertificate();
    const valid = new Set(holders().map((holder) => holder.hash));
    for (const [hash, endpoint] of endpoints) {
      if (valid.has(hash)) continue;
      endpoints.delete(hash);
      endpoint.close().catch((error: unknown) => log.warn(messageOf(error)));
    }
  }, SWEEP_EVERY_MS);
  const { publicOrigin } = settings;
  return {
    /** With the actual port. */
    url,
    /** What clients on other machines use; null if only this machine can connect. */
    publicUrl: publicOrigin === undefined ? null : `${publicOrigin}${ENDPOINT}`,
    close: async (): Promise<void> => {
      clearInterval(sweep);
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
      await server.close();
    },
  };
}

function createServer({ settings, audit }: HttpOptions): FastifyInstance {
  const server = createHttpServer({
    address: settings.address,
    log: audit,
    onFault: ({ method, clientIp: client, status }) => {
      // Something that is not HTTP is no request.
      if (method !== undefined) audit.warn({ client, status }, 'refused');
    },
    node: { headersTimeout: HEADERS_TIMEOUT_MS },
    requestTimeout: REQUEST_TIMEOUT_MS,
  });
  server.setChildLoggerFactory((logger) => logger);
  leaveBodies(server);
  return server;
}

async function listen(server: FastifyInstance, { address }: HttpSettings): Promise<string> {
  try {
    return await listenOn(server, address);
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw new SvcError('LISTEN_FAILED', cause.message, {
      hint:
        systemErrorCode(cause.cause) === 'EADDRINUSE'
          ? 'use another port: --port NUMBER, or mcp.http.port'
          : 'use another address or port: --host HOST and --port NUMBER, or mcp.http',
      cause,
    });
  }
}

function headOf(request: FastifyRequest): RequestHead {
  const { headers, headersDistinct, method, url = '/', socket } = request.raw;
  return {
    method: method ?? 'GET',
    path: url.split('?', 1)[0] ?? '/',
    headers,
    headersDistinct,
    peer: socket.remoteAddress ?? '',
    localAddress: socket.localAddress ?? '',
    client: clientAddressOf(request),
  };
}

/** What the listener adds to each answer, such as the id of the request. */
function headersOf(reply: FastifyReply): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
}

/** How long to wait for the first body chunk, to send it together with the head. */
const HEAD_WAITS_MS = 50;

/**
 * Sends a web response through Node's server.
 *
 * @param extraHeaders to send with the answer
 * @param answer receives a signal that aborts when the client disconnects early
 */
async function exchange(
  outgoing: ServerResponse,
  extraHeaders: Readonly<Record<string, string>>,
  answer: (signal: AbortSignal) => Promise<Response>,
): Promise<void> {
  const disconnected = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) disconnected.abort();
  });
  const response = await answer(disconnected.signal);
  if (outgoing.destroyed) {
    await response.body?.cancel();
    return;
  }
  outgoing.writeHead(response.status, { ...extraHeaders, ...Object.fromEntries(response.headers) });
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

/** Reads what an answered request still sends: until then, Node reads no other request of the connection. */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.socket.destroyed) return;
  // Those of the web stream, which would collect it.
  incoming.removeAllListeners('data').resume();
  incoming.once('end', cutLater(incoming.socket));
}

/** Only for the path of the protocol: others need not be part of a valid URL. */
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

/** The same class with two slightly different declarations, of streams and fetch. */
function webStream(stream: unknown): ReadableStream<Uint8Array> {
  if (stream instanceof ReadableStream) return stream;
  throw new TypeError('no web stream');
}

/**
 * Picks up a renewed certificate of a running server. What it returns is called from time to time: files that changed
 * since the last call may be half written. Until they can be used, the old certificate stays in effect.
 */
export function watchCertificate(
  server: FastifyInstance,
  address: ListenAddress,
  log: McpLog,
): () => void {
  const { tls } = address;
  const stampNow = (): string => (tls === undefined ? '' : fileStamp([tls.cert, tls.key]));
  let current = stampNow();
  let last = current;
  return () => {
    const stamp = stampNow();
    const isSettled = stamp === last;
    last = stamp;
    if (!isSettled || stamp === current) return;
    current = stamp;
    try {
      renewCertificate(server, address);
      log.info('renewed the certificate');
    } catch (error) {
      log.warn(`the certificate cannot be renewed: ${messageOf(error)}`);
    }
  };
}
