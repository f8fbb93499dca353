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

/** How long clients may take, in milliseconds. */
export interface ClientPatience {
  /** One that has not sent its headers by then is let go of. */
  readonly headersMs: number;
  /** How often connections are looked at for that. */
  readonly checkEveryMs: number;
  /** On top of the time for headers and body, until a request that does not end is cut off. */
  readonly spareMs: number;
}

/** Long enough for any network, short enough for those who only hold connections open. */
export const CLIENT_PATIENCE: ClientPatience = {
  headersMs: 10_000,
  checkEveryMs: 2000,
  spareMs: 5000,
};

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
  readonly patience?: ClientPatience | undefined;
}

/**
 * The HTTP server without its routes. It leaves bodies alone: whoever handles a request decides
 * whether it is read.
 *
 * @throws the system's error when the certificate cannot be read
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const { address, log, bodyTimeoutSeconds, patience = CLIENT_PATIENCE } = options;
  const { tls, trustedProxies } = address;
  const { headersMs, checkEveryMs, spareMs } = patience;
  const timeouts = { headersTimeout: headersMs, connectionsCheckingInterval: checkEveryMs };
  const server: FastifyInstance = fastify({
    ...(tls === undefined
      ? { http: timeouts }
      : { https: { ...timeouts, ...readCertificate(tls) } }),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    requestTimeout: headersMs + bodyTimeoutSeconds * 1000 + spareMs,
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
