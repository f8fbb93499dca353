import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../../config/index.js';
import { adminAddress } from '../../config/listen-address.js';
import { isLoopback } from '../../config/loopback.js';
import { listenOn } from '../../listen.js';
import type { LiveWebhooks } from '../../webhooks/activity/live-webhooks.js';
import type { WebhookMetrics } from '../../webhooks/metrics.js';
import type { Webhooks } from '../../webhooks/open-webhooks.js';
import type { RouteStanding } from '../../webhooks/routes/served-route.js';
import type { Readiness } from '../readiness.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from '../service.js';
import type { ServiceFailure } from '../service-failure.js';
import { addHealthRoutes } from './health-routes.js';

/** The name of the service behind all webhook routes. */
export const WEBHOOKS_SERVICE = 'webhooks';

/** Told of a listener that has begun, and, with undefined, that it has ended. */
export type ObserveWebhooks = (live: LiveWebhooks | undefined) => void;

/** What the service is told besides the configuration. */
export interface WebhooksServiceOptions {
  /** Undefined leaves out health and metrics. */
  readonly readiness: (() => Readiness) | undefined;
  readonly onWebhooks?: ObserveWebhooks | undefined;
}

/** Whether a configuration switches webhooks on. */
export function hasWebhooks({ loaded }: ServeSetup): boolean {
  return loaded.resolved.plugins.entries.webhooks.enabled;
}

/** The service that answers on all routes, and tells how the process is. */
export function webhooksDefinition(
  setup: ServeSetup,
  options: WebhooksServiceOptions,
): ServiceDefinition {
  return {
    name: WEBHOOKS_SERVICE,
    switch: 'webhooks',
    start: (host) => start(setup, options, host),
  };
}

async function start(
  { context, loaded }: ServeSetup,
  { readiness, onWebhooks }: WebhooksServiceOptions,
  host: ServiceHost,
): Promise<Service> {
  const { openWebhooks } = await import('../../webhooks/open-webhooks.js');
  const { log, fail } = host;
  const addInside = (server: FastifyInstance, metrics: WebhookMetrics): void => {
    if (readiness === undefined) return;
    addHealthRoutes(server, readiness);
    addMetricsRoute(server, metrics);
  };
  const address = readiness === undefined ? undefined : adminAddress(loaded);
  const webhooks = await openWebhooks({
    context,
    loaded,
    log,
    extend: address === undefined ? addInside : () => undefined,
  });
  let admin: FastifyInstance | undefined;
  try {
    const url = await webhooks.listen(fail);
    if (address !== undefined && readiness !== undefined) {
      const { createHealthServer } = await import('./health-server.js');
      const extend = (server: FastifyInstance) => addMetricsRoute(server, webhooks.metrics);
      admin = createHealthServer({ address, log, readiness, extend });
      await listenOn(admin, address);
      admin.server.on('error', fail);
    }
    host.tell(`listening on ${url}`);
  } catch (error) {
    await webhooks.close();
    throw error;
  }
  warnIfOpen(loaded, log);
  tellRoutes(webhooks.standings, host);
  onWebhooks?.(webhooks.live);
  return {
    ready: Promise.resolve(),
    reload: async (next) => {
      if (hasWebhooks(next) && (await takesOn(webhooks, next, host))) return true;
      // A new start cuts connections: what is under way ends first.
      await webhooks.drain();
      return false;
    },
    drain: () => webhooks.drain(),
    stop: async () => {
      onWebhooks?.(undefined);
      await Promise.all([webhooks.close(), admin?.close()]);
    },
  };
}

function warnIfOpen({ resolved }: LoadedConfig, log: Logger): void {
  const { host, tls } = resolved.gateway;
  if (isLoopback(host) || tls?.cert !== undefined) return;
  log.warn(
    { host },
    'other machines can reach the listener, and secrets go over the network as they are',
  );
}

function addMetricsRoute(server: FastifyInstance, metrics: WebhookMetrics): void {
  server.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}

async function takesOn(
  webhooks: Webhooks,
  { loaded }: ServeSetup,
  host: ServiceHost,
): Promise<boolean> {
  const reload = await webhooks.reload(loaded);
  switch (reload.type) {
    case 'unable':
      return false;
    case 'changed':
      tellRoutes(reload.standings, host);
      return true;
    case 'kept': {
      const { why } = reload;
      const message = `not reloaded, the old routes and secrets stay: ${why.message}`;
      host.trouble({ code: why.code, message, mend: why.hint ?? null });
      host.log.error({ code: why.code, mend: why.hint }, message);
      return true;
    }
  }
}

/** One line a route; a route that is skipped needs somebody. */
function tellRoutes(standings: readonly RouteStanding[], { log, trouble }: ServiceHost): void {
  for (const { id, path, sessionKey, state, secretSource, fault } of standings) {
    const fields = { route: id, path, session: sessionKey, state, secretSource };
    if (fault === null) log.info(fields, `route ${id} is ${state}`);
    else log.warn({ ...fields, mend: fault.hint }, `route ${id} is skipped: ${fault.message}`);
  }
  const skipped = standings.find(({ state }) => state === 'skipped');
  trouble(skipped === undefined ? undefined : skippedFailure(skipped));
}

function skippedFailure({ id, fault }: RouteStanding): ServiceFailure {
  return {
    code: 'SECRET_UNRESOLVED',
    message: `route ${id} is skipped: ${fault?.message ?? 'its secret cannot be read'}`,
    mend: fault?.hint ?? null,
  };
}
