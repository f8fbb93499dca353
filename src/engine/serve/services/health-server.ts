import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Readiness } from '../readiness.js';
import type { HealthSettings } from './health-settings.js';

/** What the routes ask. */
export interface HealthServerOptions {
  readonly settings: HealthSettings;
  readonly log: FastifyBaseLogger;
  readonly readiness: () => Readiness;
}

/** A request id that a proxy in front may hand down; anything else gets one of ours. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;
const REQUEST_ID_HEADER = 'x-request-id';
/** Nobody sends a health check a body. */
const BODY_LIMIT_BYTES = 1024;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * The HTTP server with `/healthz` (the process answers) and `/readyz` (all services do their work).
 * Every request has an id, in its log lines and in its answer.
 *
 * @throws the system's error when the certificate cannot be read
 */
export function createHealthServer(options: HealthServerOptions): FastifyInstance {
  const { settings, log, readiness } = options;
  const server: FastifyInstance = fastify({
    ...httpsOptions(settings),
    loggerInstance: log,
    logController: new LogController({
      // Our own hook says it in one line, and at a level of its own.
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: ({ headers }) => {
      const given = headers[REQUEST_ID_HEADER];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
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
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const answer = readiness();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: { code: 'not_found', message: 'there is nothing here' } }),
  );
  return server;
}

function httpsOptions({ tls }: HealthSettings) {
  if (tls === undefined) return {};
  return { https: { cert: readFileSync(tls.cert), key: readFileSync(tls.key) } };
}
