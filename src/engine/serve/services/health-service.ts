import { isDeepStrictEqual } from 'node:util';
import { adminAddress, gatewayAddress, type ListenAddress } from '../../config/index.js';
import type { Metrics } from '../../flows/flow-metrics.js';
import { listenOn } from '../../listener/listen.js';
import { addMetricsRoute, isStoring, type Readiness } from '../readiness.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from '../service.js';
import { hasFlows, type OpenedFlows } from './flows-service.js';

export const HEALTH_SERVICE = 'health';

/** The address of `gateway.admin`, or else of the gateway. */
export function healthAddress({ context, loaded }: ServeSetup): ListenAddress {
  return adminAddress(loaded) ?? gatewayAddress(loaded, context);
}

interface HealthServiceOptions {
  readonly readiness: () => Readiness;
  /** Undefined if no service opens them. */
  readonly flows: OpenedFlows | undefined;
}

/** The service behind `/healthz` and `/readyz`, and `/metrics` if there are flows. */
export function healthDefinition(
  setup: ServeSetup,
  options: HealthServiceOptions,
): ServiceDefinition {
  return {
    name: HEALTH_SERVICE,
    addresses: [healthAddress(setup)],
    start: (host) => listen(setup, options, host),
  };
}

async function listen(
  setup: ServeSetup,
  { readiness, flows }: HealthServiceOptions,
  { log, setLastEvent, fail }: ServiceHost,
): Promise<Service> {
  const { createHealthServer } = await import('./health-server.js');
  const address = healthAddress(setup);
  const metrics =
    flows !== undefined && hasFlows(setup) ? await flowMetrics(setup, flows, readiness) : undefined;
  const server = createHealthServer({ address, log, readiness });
  if (metrics !== undefined) addMetricsRoute(server, metrics);
  const url = await listenOn(server, address);
  server.server.on('error', fail);
  setLastEvent(`listening on ${url}`);
  return {
    url,
    // A certificate may have been renewed: that needs a restart.
    reload: async (next) =>
      isDeepStrictEqual(healthAddress(next), address) &&
      !address.tls &&
      hasFlows(next) === hasFlows(setup),
    // It reports that the others drain, until it is stopped.
    drain: async () => undefined,
    stop: async () => {
      await server.close();
      metrics?.close();
    },
  };
}

async function flowMetrics(
  { context }: ServeSetup,
  flows: OpenedFlows,
  readiness: () => Readiness,
): Promise<Metrics> {
  const { createFlowMetrics } = await import('../../flows/flow-metrics.js');
  return createFlowMetrics({
    flows: () => flows.current,
    isStoring: () => isStoring(readiness()),
    context,
  });
}
