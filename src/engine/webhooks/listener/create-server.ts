import { readFileSync } from 'node:fs';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  fastify,
  LogController,
} from 'fastify';
import type { ListenAddress } from '../../config/listen-address.js';
import { REQUEST_ID_HEADER, requestIdOf } from '../../listen.js';

/** A client that has not sent its headers by then is let go of. */
const HEADERS_TIMEOUT_MS = 10_000;
/** How often connections are looked at for that. */
const CHECK_CONNECTIONS_MS = 2000;
/** On top of the time for headers and body, until a request that does not end is cut off. */
const SPARE_MS = 5000;
/** Longer than proxies keep connections that they do not use, so that none meets a closing one. */
const KEEP_ALIVE_MS = 72_000;

const BAD_ADDRESS = JSON.stringify({
  error: { code: 'bad_request', message: 'the address is not valid' },
});

const NOT_FOUND = JSON.stringify({
  error: { code: 'not_found', message: 'there is nothing here' },
});

/** What the HTTP server is made of. */
export interface ServerOptions {
  readonly address: ListenAddress;
  readonly log: FastifyBaseLogger;
  readonly bodyTimeoutSeconds: number;
}

/**
 * The HTTP server without its routes. It leaves bodies alone: whoever handles a request decides
 * whether it is read.
 *
 * @throws the system's error when the certificate cannot be read
 */
export function createServer({ address, log, bodyTimeoutSeconds }: ServerOptions): FastifyInstance {
  const { tls, trustedProxies } = address;
  const timeouts = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
  };
  const server: FastifyInstance = fastify({
    ...(tls === undefined
      ? { http: timeouts }
      : { https: { ...timeouts, ...readCertificate(tls) } }),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    requestTimeout: HEADERS_TIMEOUT_MS + bodyTimeoutSeconds * 1000 + SPARE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    genReqId: requestIdOf,
    // Routes are ours to answer for until the very end; see the pipeline.
    return503OnClosing: false,
    forceCloseConnections: true,
    // A target that cannot be decoded must not be echoed.
    frameworkErrors: (_error, _request, { raw }) => {
      raw.writeHead(400, { 'content-type': 'application/json; charset=utf-8' }).end(BAD_ADDRESS);
    },
  });
  // Nothing of a request is logged but what the listener itself says of it.
  server.setChildLoggerFactory((logger) => logger);
  for (const method of server.supportedMethods) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  server.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id).header('cache-control', 'no-store');
    done();
  });
  server.setNotFoundHandler((_request, reply) => sendNotFound(reply));
  server.setErrorHandler((error, _request, reply) => {
    log.error({ err: error }, 'a request could not be answered');
    const message = 'something went wrong here; the log tells more';
    reply.code(500).send({ error: { code: 'internal_error', message } });
  });
  return server;
}

/** The answer to what is no route and nothing else. */
export function sendNotFound(reply: FastifyReply): void {
  reply.code(404).type('application/json; charset=utf-8').send(NOT_FOUND);
}

/** The certificate and its key, as they lie there now. @throws the system's error */
export function readCertificate(tls: NonNullable<ListenAddress['tls']>): {
  readonly cert: Buffer;
  readonly key: Buffer;
} {
  return { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
}
