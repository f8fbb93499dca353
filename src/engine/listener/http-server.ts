import { randomUUID } from 'node:crypto';
import { type IncomingMessage, METHODS, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import type { ListenAddress } from '../config/index.js';
import { systemErrorCode } from '../errors/index.js';
import {
  clientAddressOf,
  networkList,
  plainAddress,
  REQUEST_ID_HEADER,
  readCertificate,
  requestIdOf,
} from './listen.js';

interface HttpServerOptions extends FastifyServerOptions {
  readonly address: ListenAddress;
  readonly log: FastifyBaseLogger;
  /** Called with each answer that no route gave. */
  readonly onFault?: ((request: UnroutedRequest) => void) | undefined;
  /** Options of the server of Node.js. */
  readonly node?: {
    readonly headersTimeout?: number;
    readonly connectionsCheckingInterval?: number;
  };
}

/** A request that was answered without a route. */
export interface UnroutedRequest {
  readonly status: number;
  readonly code: string;
  /** In words. */
  readonly reason: string;
  /** Undefined if the request is not HTTP. */
  readonly method: string | undefined;
  /** As it was sent, with its query. */
  readonly path: string | undefined;
  readonly clientIp: string | undefined;
  readonly requestId: string;
  /** Whether hooks of the server run for it. */
  readonly isHooked: boolean;
}

/**
 * An HTTP server without routes. Every answer has a request id and, where fastify or Node.js would
 * answer for themselves, one shape: `{"error": {"code", "message"}}`.
 *
 * @throws SvcError LISTEN_FAILED when the certificate cannot be used
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { address, log, onFault = () => undefined, node = {}, ...more } = options;
  const { tls, trustedProxies } = address;
  const isTrusted = networkList(trustedProxies);
  // Node.js would refuse a request without a host itself, not in the shape of our errors.
  const httpOptions = { ...node, requireHostHeader: false };
  const tlsOptions = {
    // Node.js would refuse clients that offer only HTTP/1.0.
    ALPNProtocols: ['http/1.1', 'http/1.0'],
    // Before TLS is agreed on, Node.js would wait for two minutes.
    ...(node.headersTimeout === undefined ? {} : { handshakeTimeout: node.headersTimeout }),
  };
  /** The request that a connection sent last, from its head on. */
  const latest = new WeakMap<Socket, LatestRequest>();
  const refuse = (
    request: FastifyRequest,
    reply: FastifyReply,
    name: keyof typeof FAULTS,
    isHooked = true,
  ): void => {
    const { id: requestId, method, raw } = request;
    const clientIp = clientAddressOf(request);
    onFault(unrouted(FAULTS[name], { method, path: raw.url, clientIp, requestId, isHooked }));
    reply.code(FAULTS[name].status).type(JSON_UTF8).send(bodyOf(FAULTS[name]));
  };
  const server: FastifyInstance = fastify({
    ...(tls === undefined
      ? { http: httpOptions }
      : { https: { ...httpOptions, ...tlsOptions, ...readCertificate(tls) } }),
    loggerInstance: log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    // A proxy in front of another is in its header, perhaps with a port.
    trustProxy:
      trustedProxies.length > 0 && ((proxy: string | undefined) => isTrusted(plainAddress(proxy))),
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '/' }) => url.replace(ORIGIN, '/'),
    // Keep-alive connections would hold up the end.
    forceCloseConnections: true,
    // An address that cannot be decoded must not be echoed. No hook runs here.
    frameworkErrors: (_error, request, reply) => {
      reply.headers(commonHeaders(request.id));
      refuse(request, reply, 'badAddress', false);
    },
    clientErrorHandler: (error, socket) => {
      const code = systemErrorCode(error) ?? '';
      if (code === 'ECONNRESET' || !socket.writable) {
        const clientIp = peerOf(socket);
        // The sender only sees that it failed: http:// instead of https://, or a certificate that it does not trust.
        if (code.startsWith('ERR_SSL_'))
          onFault(notHttp(tlsFault(error, code), clientIp, randomUUID()));
        socket.destroy();
        return;
      }
      const { request, response, before } = latest.get(socket) ?? {};
      const isPart = request?.complete === false;
      // Another answer would be taken for that of the next request.
      if (isPart && response?.headersSent === true) {
        socket.destroy();
        return;
      }
      const refuseRest = (): void => {
        if (!socket.writable) return;
        const other = beginsTls(error) ? FAULTS.tlsWithoutCertificate : FAULTS.badRequest;
        const fault = PARSER_FAULTS[code] ?? other;
        const requestId = randomUUID();
        const clientIp = peerOf(socket);
        endWith(socket, fault, requestId);
        // Part of a request that is answered and counted on its own.
        if (isPart) return;
        onFault(notHttp(fault, clientIp, requestId));
      };
      // What was asked before is answered first: this would be taken for its answer.
      const pending = isPart ? before : response;
      if (pending === undefined || pending.writableFinished) refuseRest();
      else pending.once('close', refuseRest);
    },
    ...more,
  });
  server.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    latest.set(socket, { request, response, before: latest.get(socket)?.response });
    // Node.js 20 and 22 do not close a response that waits for an earlier one with their connection.
    const close = (): void => {
      if (response.socket === null && !response.destroyed) response.destroy().emit('close');
    };
    socket.setMaxListeners(0).once('close', close);
    response.once('close', () => socket.off('close', close));
  });
  server.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const fault = FAULTS.expectation;
    const body = bodyOf(fault);
    const { method, url: path, socket } = request;
    const requestId = requestIdOf(request);
    const clientIp = peerOf(socket);
    onFault(unrouted(fault, { method, path, clientIp, requestId, isHooked: false }));
    response.writeHead(fault.status, {
      ...commonHeaders(requestId),
      'content-type': JSON_UTF8,
      'content-length': Buffer.byteLength(body),
      // The body that was announced never comes, or is not read.
      connection: 'close',
    });
    response.end(body);
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id));
    const { httpVersion, rawHeaders } = request.raw;
    // Names and values in turn; `headers` has only the first host, and `headersDistinct` takes eight times as long.
    const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
    // RFC 9112 §3.2.
    if (hosts.length === 1 || (hosts.length === 0 && httpVersion === '1.0')) {
      done();
      return;
    }
    refuse(request, reply.header('connection', 'close'), 'notOneHost');
  });
  server.setNotFoundHandler((request, reply) => refuse(request, reply, 'notFound'));
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const { statusCode = 500 } = error;
    const fields = { err: error, requestId: request.id };
    if (statusCode >= 500) log.error(fields, 'a request could not be answered');
    const name = statusCode >= 500 ? 'internal' : 'badRequest';
    refuse(request, reply, statusCode === 413 ? 'bodyTooLarge' : name);
  });
  return server;
}

/**
 * Accepts every method that the parser knows, so that routes can answer 405, and leaves bodies to whoever
 * handles a request. CONNECT cannot be answered.
 */
export function leaveBodies(server: FastifyInstance): void {
  for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}

/** Loads a renewed certificate for new connections. @throws if it cannot be read or used */
export function renewCertificate({ server }: FastifyInstance, { tls }: ListenAddress): void {
  if (tls !== undefined && server instanceof TlsServer) {
    server.setSecureContext(readCertificate(tls));
  }
}

/** A proxy may send the whole address, which servers must accept (RFC 9112 §3.2.2). */
const ORIGIN = /^https?:\/\/[^/?]*\/?/iu;

/** The last request of a connection. */
interface LatestRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the request before. */
  readonly before: ServerResponse | undefined;
}

/** Undefined if the connection is closed. */
function peerOf({ remoteAddress }: Socket): string | undefined {
  return plainAddress(remoteAddress) || undefined;
}

interface HttpFault {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const FAULTS = {
  badAddress: { status: 400, code: 'bad_request', message: 'the address is not valid' },
  badRequest: { status: 400, code: 'bad_request', message: 'the request is not valid HTTP' },
  tlsWithoutCertificate: {
    status: 400,
    code: 'tls_failed',
    message: 'the request is TLS (https://), but the listener has no certificate',
  },
  notOneHost: { status: 400, code: 'bad_request', message: 'one Host header is required' },
  notFound: { status: 404, code: 'not_found', message: 'there is nothing here' },
  bodyTooLarge: { status: 413, code: 'payload_too_large', message: 'the body is too large' },
  expectation: {
    status: 417,
    code: 'expectation_failed',
    message: 'the Expect header asks for something this server does not do',
  },
  tooSlow: { status: 408, code: 'request_timeout', message: 'the request took too long to arrive' },
  headersTooLarge: { status: 431, code: 'headers_too_large', message: 'the headers are too large' },
  internal: {
    status: 500,
    code: 'internal_error',
    message: 'something went wrong here; see the log',
  },
} as const satisfies Readonly<Record<string, HttpFault>>;

/** By the error code of Node's HTTP parser; any other is a request that is not HTTP. */
const PARSER_FAULTS: Readonly<Record<string, HttpFault>> = {
  ERR_HTTP_REQUEST_TIMEOUT: FAULTS.tooSlow,
  ERR_TLS_HANDSHAKE_TIMEOUT: FAULTS.tooSlow,
  HPE_HEADER_OVERFLOW: FAULTS.headersTooLarge,
};

/** The type of all answers that are JSON. */
export const JSON_UTF8 = 'application/json; charset=utf-8';

function bodyOf({ code, message }: HttpFault): string {
  return JSON.stringify({ error: { code, message } });
}

function unrouted(
  { status, code, message: reason }: HttpFault,
  request: Omit<UnroutedRequest, 'code' | 'reason' | 'status'>,
): UnroutedRequest {
  return { status, code, reason, ...request };
}

/** A request of which nothing is known. */
function notHttp(
  fault: HttpFault,
  clientIp: string | undefined,
  requestId: string,
): UnroutedRequest {
  const unknown = { method: undefined, path: undefined, isHooked: false };
  return unrouted(fault, { ...unknown, clientIp, requestId });
}

/** Whether what could not be parsed is a TLS handshake, by its first byte. */
function beginsTls({ rawPacket }: { readonly rawPacket?: unknown }): boolean {
  return rawPacket instanceof Uint8Array && rawPacket[0] === 22;
}

/** OpenSSL's reason is a few words, such as "http request"; its message is not for people. */
function tlsFault(error: Error & { readonly reason?: unknown }, code: string): HttpFault {
  return { status: 400, code: 'tls_failed', message: `TLS failed: ${error.reason ?? code}` };
}

function commonHeaders(requestId: string) {
  return { [REQUEST_ID_HEADER]: requestId, 'cache-control': 'no-store' };
}

/** What the parser did not understand is not a request that could be answered. */
function endWith(socket: Socket, fault: HttpFault, requestId: string): void {
  const body = bodyOf(fault);
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    ...Object.entries(commonHeaders(requestId)).map(([name, value]) => `${name}: ${value}`),
    `content-type: ${JSON_UTF8}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  cutLater(socket);
}

/** How long a client that goes on sending may take to read why it should not. */
const LINGER_MS = 2000;

/**
 * Gives a client time to read the answer, then cuts its connection. Closing it at once would reset it and lose the
 * answer; never closing it would leave what is under way on it unfinished.
 *
 * @returns leaves the connection open after all
 */
export function cutLater(socket: Socket): () => void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  const leave = (): void => clearTimeout(timer);
  socket.once('close', leave);
  return leave;
}
