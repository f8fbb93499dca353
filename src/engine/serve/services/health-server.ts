import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ListenAddress } from '../../config/index.js';
import { createHttpServer } from '../../listener/http-server.js';
import { clientAddressOf } from '../../listener/listen.js';
import { addHealthRoutes, type Readiness } from '../readiness.js';

/** Health checks have no body. */
const BODY_LIMIT_BYTES = 1024;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * The HTTP server for health checks.
 *
 * @throws the system's error if the certificate cannot be read
 */
export function createHealthServer(options: {
  readonly address: ListenAddress;
  readonly log: FastifyBaseLogger;
  readonly readiness: () => Readiness;
}): FastifyInstance {
  const { address, log, readiness } = options;
  const server = createHttpServer({
    address,
    log,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
  });
  server.addHook('onResponse', async (request, reply) => {
    const { method } = request;
    // Without the query, where secrets are.
    const [url] = request.url.split('?', 1);
    const ip = clientAddressOf(request);
    const { statusCode: status, elapsedTime } = reply;
    request.log.debug({ method, url, ip, status, ms: Math.round(elapsedTime) }, 'answered');
  });
  addHealthRoutes(server, readiness);
  return server;
}
