import { isDeepStrictEqual } from 'node:util';
import { adminAddress, gatewayAddress, type ListenAddress } from '../../config/listen-address.js';
import { listenOn } from '../../listen.js';
import type { Readiness } from '../readiness.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from '../service.js';

/** The name of the service that tells how the others are. */
export const HEALTH_SERVICE = 'health';

/** Where it is configured to listen: with the gateway, or where `gateway.admin` says. */
export function healthAddress({ context, loaded }: ServeSetup): ListenAddress {
  return adminAddress(loaded) ?? gatewayAddress(loaded, context);
}

/** The service behind `/healthz` and `/readyz`. */
export function healthDefinition(setup: ServeSetup, readiness: () => Readiness): ServiceDefinition {
  const address = healthAddress(setup);
  return {
    name: HEALTH_SERVICE,
    switch: 'health',
    start: (host) => listen(address, readiness, host),
  };
}

async function listen(
  address: ListenAddress,
  readiness: () => Readiness,
  { log, tell, fail }: ServiceHost,
): Promise<Service> {
  const { createHealthServer } = await import('./health-server.js');
  const server = createHealthServer({ address, log, readiness });
  const url = await listenOn(server, address);
  server.server.on('error', fail);
  tell(`listening on ${url}`);
  return {
    ready: Promise.resolve(),
    // A certificate may have been renewed where it lies: that takes a new start.
    reload: async (setup) => isDeepStrictEqual(healthAddress(setup), address) && !address.tls,
    // It tells that the others drain; it ends when it is stopped.
    drain: async () => undefined,
    stop: () => server.close(),
  };
}
