import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import type { Readiness } from '../readiness.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from '../service.js';
import { type HealthSettings, healthSettings } from './health-settings.js';

/** The name of the service that tells how the others are. */
export const HEALTH_SERVICE = 'health';

/** The service behind `/healthz` and `/readyz`. */
export function healthDefinition(setup: ServeSetup, readiness: () => Readiness): ServiceDefinition {
  const settings = healthSettings(setup);
  return {
    name: HEALTH_SERVICE,
    switch: 'health',
    start: (host) => listen(settings, readiness, host),
  };
}

async function listen(
  settings: HealthSettings,
  readiness: () => Readiness,
  { log, tell, fail }: ServiceHost,
): Promise<Service> {
  const { createHealthServer } = await import('./health-server.js');
  const server = createHealthServer({ settings, log, readiness });
  try {
    await server.listen({
      host: settings.host,
      port: settings.port,
      listenTextResolver: (url) => `listening on ${url}`,
    });
  } catch (error) {
    await server.close();
    throw listenFault(error, settings);
  }
  server.server.on('error', fail);
  const url = addressOf(server.server.address(), settings);
  tell(`listening on ${url}`);
  return {
    ready: Promise.resolve(),
    // A certificate may have been renewed where it lies: that takes a new start.
    reload: async (setup) => isDeepStrictEqual(healthSettings(setup), settings) && !settings.tls,
    // It tells that the others drain; it ends when it is stopped.
    drain: async () => undefined,
    stop: () => server.close(),
  };
}

/** Port 0 takes a free one, so that the address is known only now. */
function addressOf(
  bound: AddressInfo | string | null,
  { host, port, tls }: HealthSettings,
): string {
  const at = typeof bound === 'object' && bound !== null ? bound : { address: host, port };
  const scheme = tls === undefined ? 'http' : 'https';
  const name = at.address.includes(':') ? `[${at.address}]` : at.address;
  return `${scheme}://${name}:${at.port}`;
}

function listenFault(error: unknown, { host, port }: HealthSettings): unknown {
  const mend = LISTEN_MENDS[systemErrorCode(error) ?? ''];
  if (mend === undefined) return error;
  return new SvcError('LISTEN_FAILED', `cannot listen on ${host}:${port}: ${mend.why}`, {
    hint: mend.hint,
    cause: error,
  });
}

const LISTEN_MENDS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  EADDRINUSE: {
    why: 'another program listens there',
    hint: 'end that program, or set gateway.port (gateway.admin.port) to another port',
  },
  EACCES: {
    why: 'this user may not',
    hint: 'set gateway.port to 1024 or above',
  },
  EADDRNOTAVAIL: {
    why: 'this machine has no such address',
    hint: 'set gateway.host to an address of this machine; 127.0.0.1 is reached from here only',
  },
  ENOTFOUND: {
    why: 'no such host name is known',
    hint: 'set gateway.host to an address of this machine',
  },
};
