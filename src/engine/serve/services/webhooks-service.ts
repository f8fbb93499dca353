import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import {
  adminAddress,
  gatewayAddress,
  type ListenAddress,
  type LoadedConfig,
} from '../../config/index.js';
import { listenOn } from '../../listener/listen.js';
import { formatCountOf } from '../../support/format.js';
import { isLoopback } from '../../support/network.js';
import type { LiveWebhooks, RouteStatus, WebhookMetrics } from '../../webhooks/index.js';
import { addHealthRoutes, addMetricsRoute, isStoring, type Readiness } from '../readiness.js';
import {
  type ServeSetup,
  type Service,
  type ServiceDefinition,
  type ServiceHost,
  watchWrites,
} from '../service.js';
import type { ServiceFailure } from '../state-file.js';

export const WEBHOOKS_SERVICE = 'webhooks';

/** Called with a started listener, and with undefined when it has ended. */
export type ObserveWebhooks = (live: LiveWebhooks | undefined) => void;

interface WebhooksServiceOptions {
  /** Undefined disables health checks and metrics. */
  readonly readiness: (() => Readiness) | undefined;
  readonly onWebhooks?: ObserveWebhooks | undefined;
}

export function hasWebhooks({ loaded }: ServeSetup): boolean {
  return loaded.resolved.plugins.entries.webhooks.enabled;
}

/** The service that answers all routes, and health checks. */
export function webhooksDefinition(
  setup: ServeSetup,
  options: WebhooksServiceOptions,
): ServiceDefinition {
  const admin = separateAddress(setup, options);
  return {
    name: WEBHOOKS_SERVICE,
    addresses: [
      gatewayAddress(setup.loaded, setup.context),
      ...(admin === undefined ? [] : [admin]),
    ],
    start: (host) => start(setup, options, host),
  };
}

async function start(
  setup: ServeSetup,
  options: WebhooksServiceOptions,
  host: ServiceHost,
): Promise<Service> {
  const { context, loaded, mask } = setup;
  const { readiness, onWebhooks } = options;
  const { openWebhooks } = await import('../../webhooks/open-webhooks.js');
  const { log, fail, signal } = host;
  const addHealthAndMetrics = (server: FastifyInstance, metrics: WebhookMetrics): void => {
    if (readiness === undefined) return;
    addHealthRoutes(server, readiness);
    addMetricsRoute(server, metrics);
  };
  const address = separateAddress(setup, options);
  const webhooks = await openWebhooks({
    context,
    loaded,
    log,
    mask,
    signal,
    // Without readiness, nothing shows the metrics.
    isStoring: () => readiness === undefined || isStoring(readiness()),
    extend: address === undefined ? addHealthAndMetrics : () => undefined,
  });
  const watched = watchWrites(webhooks.writes, host);
  const reportRoutes = (config: LoadedConfig): void => {
    logRoutes(webhooks.routeStatuses, config, log);
    watched.setProblem(routeProblem(webhooks.routeStatuses));
  };
  let admin: FastifyInstance | undefined;
  const stop = async (): Promise<void> => {
    watched.stop();
    await Promise.all([webhooks.close(), admin?.close()]);
  };
  let url: string;
  try {
    // First: routes that are served for a moment would cut off what they have accepted.
    if (address !== undefined && readiness !== undefined) {
      const { createHealthServer } = await import('./health-server.js');
      admin = createHealthServer({ address, log, readiness });
      addMetricsRoute(admin, webhooks.metrics);
      await listenOn(admin, address);
      admin.server.on('error', fail);
    }
    url = await webhooks.listen(fail);
    host.setLastEvent(`listening on ${url}`);
  } catch (error) {
    await stop();
    throw error;
  }
  const { gateway } = loaded.resolved;
  if (!isLoopback(gateway.host) && gateway.tls?.cert === undefined) {
    log.warn(
      { host: gateway.host },
      'the listener is reachable from other machines, and secrets are sent unencrypted',
    );
  }
  reportRoutes(loaded);
  onWebhooks?.(webhooks.live);
  return {
    url,
    reload: async (next) => {
      if (hasWebhooks(next) && (await webhooks.reload(next.loaded))) {
        reportRoutes(next.loaded);
        return true;
      }
      // A restart cuts connections: requests in flight finish first.
      await webhooks.drain();
      return false;
    },
    drain: () => webhooks.drain(),
    stop: async () => {
      onWebhooks?.(undefined);
      await stop();
    },
  };
}

/** The address of health and metrics, if it is not that of the routes. */
function separateAddress(
  { loaded }: ServeSetup,
  { readiness }: WebhooksServiceOptions,
): ListenAddress | undefined {
  return readiness === undefined ? undefined : adminAddress(loaded);
}

function logRoutes(
  statuses: readonly RouteStatus[],
  { ignoredKeys = [] }: LoadedConfig,
  log: Logger,
): void {
  // A warning about the untrusted configuration names them.
  const areIgnored = ignoredKeys.some((key) => key.startsWith('plugins.entries.webhooks'));
  if (statuses.length === 0 && !areIgnored) {
    log.warn('no routes configured: add one below plugins.entries.webhooks.config.routes');
  }
  for (const { id, path, sessionKey, state, secretSource, fault } of statuses) {
    const fields = { route: id, path, session: sessionKey, state, secretSource };
    if (fault === null) log.info(fields, `route ${id} is ${state}`);
    else log.warn({ ...fields, hint: fault.hint }, `route ${id} is ${state}: ${fault.message}`);
  }
}

/** The worst problem of the routes. */
function routeProblem(statuses: readonly RouteStatus[]): ServiceFailure | undefined {
  const faulty = statuses.flatMap(({ id, state, fault }) =>
    fault === null ? [] : [{ id, state, ...fault }],
  );
  const worst = faulty.find(({ state }) => state === 'skipped') ?? faulty[0];
  const more = faulty.length > 1 ? ` (and ${formatCountOf(faulty.length - 1, 'more route')})` : '';
  return (
    worst && {
      code: 'SECRET_UNRESOLVED',
      message: `route ${worst.id} is ${worst.state}: ${worst.message}${more}`,
      hint: worst.hint,
    }
  );
}
