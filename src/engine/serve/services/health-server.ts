import { readFileSync } from 'node:fs';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { ListenAddress } from '../../config/listen-address.js';
import { REQUEST_ID_HEADER, requestIdOf } from '../../listen.js';
import type { Readiness } from '../readiness.js';
import { addHealthRoutes } from './health-routes.js';

/** What the routes ask. */
export interface HealthServerOptions {
  readonly address: ListenAddress;
  readonly log: FastifyBaseLogger;
  readonly readiness: () => Readiness;
  /** Adds more of what those inside ask for. */
  readonly extend?: (server: FastifyInstance) => void;
}

/** Nobody sends a health check a body. */
const BODY_LIMIT_BYTES = 1024;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * The HTTP server that tells how the process is. Every request has an id, in its log lines and in its
 * answer.
 *
 * @throws the system's error when the certificate cannot be read
 */
export function createHealthServer(options: HealthServerOptions): FastifyInstance {
  const { address, log, readiness, extend } = options;
  const server: FastifyInstance = fastify({
    ...httpsOptions(address),
    loggerInstance: log,
    logController: new LogController({
      // Our own hook says it in one line, and at a level of its own.
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    trustProxy: address.trustedProxies.length > 0 ? [...address.trustedProxies] : false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: requestIdOf,
    // Keep-alive connections of probes would hold up the end.
    forceCloseConnections: true,
  });
  server.addHook('onRequest', async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id).header('cache-control', 'no-store');
  });
  server.addHook('onResponse', async (request, reply) => {
    const { method, url, ip } = request;
    const { statusCode: status, elapsedTime } = reply;
    request.log.debug({ method, url, ip, status, ms: Math.round(elapsedTime) }, 'answered');
  });
  addHealthRoutes(server, readiness);
  extend?.(server);
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: { code: 'not_found', message: 'there is nothing here' } }),
  );
  return server;
}

function httpsOptions({ tls }: ListenAddress) {
  if (tls === undefined) return {};
  return { https: { cert: readFileSync(tls.cert), key: readFileSync(tls.key) } };
}
