import { isDeepStrictEqual } from 'node:util';
import { adminAddress, gatewayAddress, type ListenAddress } from '../../config/index.js';
import { checkAddresses, listenOn } from '../../listener/index.js';
import type { Readiness } from '../readiness.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from '../service.js';

export const HEALTH_SERVICE = 'health';

/** The address of `gateway.admin`, or else of the gateway. */
export function healthAddress({ context, loaded }: ServeSetup): ListenAddress {
  return adminAddress(loaded) ?? gatewayAddress(loaded, context);
}

/** The service behind `/healthz` and `/readyz`. */
export function healthDefinition(setup: ServeSetup, readiness: () => Readiness): ServiceDefinition {
  const address = healthAddress(setup);
  return {
    name: HEALTH_SERVICE,
    switch: 'health',
    check: (old) => checkAddresses([address], [healthAddress(old)]),
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
    // A certificate may have been renewed: that needs a restart.
    reload: async (setup) => isDeepStrictEqual(healthAddress(setup), address) && !address.tls,
    // It reports that the others drain, until it is stopped.
    drain: async () => undefined,
    stop: () => server.close(),
  };
}
