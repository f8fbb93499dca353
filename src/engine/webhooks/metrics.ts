import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createFlowMetrics, type FlowMetricSources } from '../flows/flow-metrics.js';
import type { Flows } from '../flows/index.js';
import type { AnsweredRequest } from './answer-log.js';
import { type DeliveryCounts, DROP_REASONS } from './deliveries/delivery-recorder.js';
import type { RouteStatus } from './routes.js';

/** Metrics for Prometheus; see {@link createMetrics}. */
export type WebhookMetrics = ReturnType<typeof createMetrics>;

interface MetricSources extends FlowMetricSources {
  /** Requests in flight. */
  readonly requestsInFlight: () => number;
  readonly routeStatuses: () => readonly RouteStatus[];
  readonly deliveries: () => DeliveryCounts;
}

/** In seconds: a change takes one disk write. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** The code of requests that were not rejected. */
const OK = 'ok';

/** Metrics of the listener, and those of flows and the process. Codes and routes are few, so labels are too. */
export function createMetrics(sources: MetricSources, registry = new Registry()) {
  const registers = [registry];
  const requests = new Counter({
    name: 'svc_webhook_requests_total',
    help: 'Requests on known routes by answer',
    labelNames: ['route', 'status', 'code'] as const,
    registers,
  });
  const unrouted = new Counter({
    name: 'svc_webhook_unrouted_requests_total',
    help: 'Requests on unknown routes and invalid HTTP by status',
    labelNames: ['status'] as const,
    registers,
  });
  const actions = new Counter({
    name: 'svc_webhook_actions_total',
    help: 'Actions on flows by outcome',
    labelNames: ['action', 'outcome'] as const,
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
    help: 'Requests in flight',
    registers,
    collect() {
      this.set(sources.requestsInFlight());
    },
  });
  new Gauge({
    name: 'svc_webhook_routes',
    help: 'Configured routes by state',
    labelNames: ['state'] as const,
    registers,
    collect() {
      this.reset();
      for (const { state } of sources.routeStatuses()) this.inc({ state });
    },
  });
  new Counter({
    name: 'svc_webhook_deliveries_recorded_total',
    help: 'Deliveries that were written to the record',
    registers,
    collect() {
      this.reset();
      this.inc(sources.deliveries().recorded);
    },
  });
  new Counter({
    name: 'svc_webhook_deliveries_dropped_total',
    help: 'Deliveries that are missing from the record by reason',
    labelNames: ['reason'] as const,
    registers,
    collect() {
      const { dropped } = sources.deliveries();
      this.reset();
      for (const reason of DROP_REASONS) this.inc({ reason }, dropped[reason]);
    },
  });
  return {
    ...createFlowMetrics(sources, registry),
    /** Counts the actions that are performed. */
    countActions:
      (perform: Flows['perform']): Flows['perform'] =>
      async (action, ...request) => {
        const count = (outcome: string): void => actions.inc({ action: action.action, outcome });
        try {
          const answer = await perform(action, ...request);
          count(answer.replayed === true ? 'replayed' : (answer.code ?? OK));
          return answer;
        } catch (error) {
          count('failed');
          throw error;
        }
      },
    countAnswer: ({ routeId, status, code, ms }: AnsweredRequest): void => {
      requests.inc({ route: routeId, status, code: code ?? OK });
      durations.observe({ route: routeId }, ms / 1000);
    },
    /** Counts an answer that no route gave. */
    countUnrouted: (status: number): void => unrouted.inc({ status }),
  };
}
