import type { FastifyInstance } from 'fastify';
import type { Readiness } from '../readiness.js';

/** Adds `/healthz` (the process answers) and `/readyz` (all services do their work). */
export function addHealthRoutes(server: FastifyInstance, readiness: () => Readiness): void {
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const answer = readiness();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
}
