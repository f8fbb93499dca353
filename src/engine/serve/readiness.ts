import type { FastifyInstance } from 'fastify';
import { ERROR_CODES, isErrorCode } from '../errors/index.js';
import type { Metrics } from '../flows/flow-metrics.js';
import { UNSTORABLE } from '../flows/index.js';
import type { ServiceSnapshot } from './state-file.js';

/** The answer of `/readyz`. */
export interface Readiness {
  readonly status: 'draining' | 'failing' | 'ready' | 'starting';
  /** Services that are not ready, and why. */
  readonly waiting: readonly {
    readonly service: string;
    readonly state: string;
    /** Why it fails, without names of this host. */
    readonly code?: string;
    readonly reason?: string;
  }[];
}

/** The state of a service that runs, but refuses every change. */
const FAILING = 'failing';

/** @param self the service that answers, which does not count */
export function readinessOf(services: readonly ServiceSnapshot[], self: string): Readiness {
  const unready = services.filter(({ name, state }) => name !== self && state !== 'ready');
  const failing = services.flatMap(({ name, failure, state }) => {
    const code = failure?.code ?? '';
    if (state !== 'ready' || !isErrorCode(code) || !UNSTORABLE.has(code)) return [];
    return [{ service: name, state: FAILING, code, reason: ERROR_CODES[code].summary }];
  });
  const waiting = [
    ...unready.map(({ name, state }) => ({ service: name, state: String(state) })),
    ...failing,
  ];
  if (services.some(({ state }) => state === 'draining')) return { status: 'draining', waiting };
  if (unready.length > 0) return { status: 'starting', waiting };
  return { status: failing.length > 0 ? 'failing' : 'ready', waiting };
}

/** Whether no service failed to store its last change. */
export function isStoring({ waiting }: Readiness): boolean {
  return waiting.every(({ state }) => state !== FAILING);
}

/** Adds `/healthz` (the process answers) and `/readyz` (all services do their work). */
export function addHealthRoutes(server: FastifyInstance, readiness: () => Readiness): void {
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const answer = readiness();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
}

/** Adds `/metrics`. */
export function addMetricsRoute(server: FastifyInstance, metrics: Metrics): void {
  server.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
