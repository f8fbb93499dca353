import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../flows/flow-metrics.js';

/** Adds `/metrics`. */
export function addMetricsRoute(server: FastifyInstance, metrics: Metrics): void {
  server.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
