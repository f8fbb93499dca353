import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AnsweredRequest } from './listener/answered.js';
import type { RouteStanding } from './routes/served-route.js';

/** What Prometheus asks for. */
export interface WebhookMetrics {
  readonly answered: (answered: AnsweredRequest) => void;
  readonly contentType: string;
  /** All figures in the text format. */
  readonly text: () => Promise<string>;
  readonly close: () => void;
}

/** What is looked at when somebody asks. */
export interface MetricSources {
  /** Requests under way. */
  readonly underWay: () => number;
  readonly standings: () => readonly RouteStanding[];
}

/** Bounds in seconds: a change takes one write to the disk. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** What a request counts as that was not rejected. */
const OK = 'ok';

/** Figures of the listener and of the process it runs in. Codes and routes are few, so labels are too. */
export function createMetrics(sources: MetricSources): WebhookMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'svc_webhook_requests_total',
    help: 'Requests on known routes by their answer',
    labelNames: ['route', 'status', 'code'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'svc_webhook_request_duration_seconds',
    help: 'Time from the headers of a request to its answer',
    labelNames: ['route'] as const,
    buckets: BUCKETS,
    registers,
  });
  new Gauge({
    name: 'svc_webhook_requests_under_way',
    help: 'Requests that have no answer yet',
    registers,
    collect() {
      this.set(sources.underWay());
    },
  });
  new Gauge({
    name: 'svc_webhook_routes',
    help: 'Configured routes by state',
    labelNames: ['state'] as const,
    registers,
    collect() {
      this.reset();
      for (const { state } of sources.standings()) this.inc({ state });
    },
  });
  return {
    answered: ({ routeId, status, code, ms }) => {
      requests.inc({ route: routeId, status, code: code ?? OK });
      durations.observe({ route: routeId }, ms / 1000);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close: () => registry.clear(),
  };
}
