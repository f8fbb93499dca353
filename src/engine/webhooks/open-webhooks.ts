import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { gatewayAddress, type LoadedConfig } from '../config/index.js';
import { type Flows, openFlows, opensSameFlows } from '../flows/index.js';
import type { SecretMask } from '../masking/index.js';
import type { EngineContext } from '../support/context.js';
import { activityFile, readActivity, WebhookActivity } from './activity.js';
import { AnswerLog } from './answer-log.js';
import { flowIdOf, replayHeaders } from './deliveries/delivery.js';
import { DeliveryRecorder } from './deliveries/delivery-recorder.js';
import { replayDelivery } from './deliveries/replay-delivery.js';
import { liveWebhooks } from './live-webhooks.js';
import { createMetrics, type WebhookMetrics } from './metrics.js';
import { describedRoutes, openApiDocument } from './openapi-document.js';
import { Pipeline } from './pipeline.js';
import { type ResolvedRoutes, type RouteStatus, resolveRoutes, routeFinder } from './routes.js';
import { type ClientPatience, WebhookListener } from './webhook-listener.js';

interface WebhooksOptions {
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  /** Masks what is recorded of deliveries. */
  readonly mask: Pick<SecretMask, 'text'>;
  /** Stops reading secrets. */
  readonly signal: AbortSignal;
  readonly patience?: ClientPatience | undefined;
  /** For the metrics; see FlowMetricSources. */
  readonly isStoring: () => boolean;
  /** Adds endpoints that are not routes. */
  readonly extend: (server: FastifyInstance, metrics: WebhookMetrics) => void;
}

/** All routes, their listener and their flows. */
export type Webhooks = ReturnType<typeof webhooksOf>;

function webhooksOf(options: WebhooksOptions, first: ResolvedRoutes, flows: Flows) {
  const { context, log, mask } = options;
  const { clock, state } = context;
  const { stateDir } = state;
  let { loaded } = options;
  let routes = first;
  const statuses = (): readonly RouteStatus[] => routes.statuses;
  const activity = new WebhookActivity(readActivity(stateDir).routes);
  const file = activityFile(stateDir, {
    totals: () => activity.totals(),
    statuses,
    onRequests: (requests) => {
      if (loaded.resolved.logging.activity) context.onActivity?.({ requests });
    },
  });
  const live = liveWebhooks(context, {
    activity,
    statuses,
    flows: async () => flows,
    replay: (replay) => replayDelivery(replay, { loaded, context, mask }, flows),
  });
  const metrics = createMetrics({
    flows: () => flows,
    isStoring: options.isStoring,
    context,
    requestsInFlight: () => listener.requestsInFlight,
    routeStatuses: statuses,
    deliveries: () => recorder.counts,
  });
  const addOpenApi = (server: FastifyInstance): void => {
    server.get('/openapi.json', async (_request, reply) => {
      if (!settingsOf(loaded).openapi) return reply.callNotFound();
      const served = describedRoutes(loaded.resolved).filter(({ id }) =>
        routes.served.some((route) => route.id === id),
      );
      return reply.send(openApiDocument({ serverUrl: undefined, routes: served }));
    });
  };
  const reloadable = () => ({
    findRoute: routeFinder(routes.served),
    limits: settingsOf(loaded).limits,
  });
  const answerLog = new AnswerLog(log);
  const { accessLog } = loaded.resolved.logging;
  const listener = new WebhookListener({
    address: gatewayAddress(loaded, context),
    log,
    patience: options.patience,
    pipeline: new Pipeline({
      flows: { perform: metrics.countActions(flows.perform) },
      now: () => performance.now(),
      clock,
      onFailure: (error, request) => answerLog.failed(error, performance.now(), request),
    }),
    ...reloadable(),
    onAnswered: (answered, { route, headers, handled }) => {
      const atMs = clock.now();
      metrics.countAnswer(answered);
      activity.record(answered, atMs);
      recorder.record({
        answered,
        atMs,
        headers: replayHeaders(route, headers),
        delivery: handled.delivery,
        flowId: flowIdOf(handled.answer),
        replayOf: null,
      });
      file.touch();
      answerLog.record(answered, performance.now());
      if (accessLog) answerLog.access({ ...answered, route: answered.routeId, path: undefined });
    },
    onFault: (request) => {
      metrics.countUnrouted(request.status);
      answerLog.unrouted(request, performance.now());
      if (accessLog && !request.isHooked) answerLog.access(request);
    },
    onOther: accessLog ? (request) => answerLog.access(request) : undefined,
    extend: (server) => {
      options.extend(server, metrics);
      addOpenApi(server);
    },
  });
  // Last, because it opens its file: without a usable certificate, there is no listener.
  const limits = settingsOf(loaded).deliveries;
  const recorder = new DeliveryRecorder({ limits, stateDir, mask, clock, log });
  return {
    metrics,
    live,
    get routeStatuses() {
      return statuses();
    },
    /** Whether changes of flows can be stored. */
    writes: flows.writes,
    /** Starts to listen; see WebhookListener. */
    listen: async (onError: (error: unknown) => void): Promise<string> => {
      const url = await listener.listen(onError);
      file.write();
      return url;
    },
    /**
     * Applies the routes, limits and secrets of another configuration. As at the start, a route whose secret
     * cannot be read is not served.
     *
     * @returns false if it needs a restart
     * @throws the system's error when the certificate cannot be read
     */
    reload: async (next: LoadedConfig): Promise<boolean> => {
      if (!isReloadable(loaded, next)) return false;
      const resolved = await routesOf(next, options);
      listener.renewCertificate();
      loaded = next;
      routes = resolved;
      listener.replace(reloadable());
      file.write();
      recorder.setLimits(settingsOf(loaded).deliveries);
      return true;
    },
    /** Finishes the requests in flight; new ones get a 503. */
    drain: async (): Promise<void> => {
      await listener.drain();
      recorder.writeNow();
    },
    /** Closes connections and files. */
    close: async (): Promise<void> => {
      await listener.close();
      await recorder.close();
      live.close();
      file.close();
      metrics.close();
      await flows.close();
    },
  };
}

function settingsOf({ resolved }: LoadedConfig) {
  return resolved.plugins.entries.webhooks.config;
}

/** The address, the access log, and where and how flows are kept cannot change while running. */
function isReloadable(before: LoadedConfig, next: LoadedConfig): boolean {
  const fixed = ({ resolved }: LoadedConfig) => {
    const { drainSeconds: _, ...address } = resolved.gateway;
    return { address, accessLog: resolved.logging.accessLog };
  };
  return (
    isDeepStrictEqual(fixed(before), fixed(next)) && opensSameFlows(before.resolved, next.resolved)
  );
}

/**
 * Reads the secrets of all routes and opens their flows, without listening yet.
 *
 * @throws SvcError FLOWS_* if the flows cannot be opened; the system's error if a certificate cannot be read; the
 *   signal's reason
 */
export async function openWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { context, loaded } = options;
  const resolved = await routesOf(loaded, options);
  const flows = await openFlows(context, loaded.resolved);
  try {
    return webhooksOf(options, resolved, flows);
  } catch (error) {
    await flows.close();
    throw error;
  }
}

function routesOf(
  { resolved }: LoadedConfig,
  { context, signal }: WebhooksOptions,
): Promise<ResolvedRoutes> {
  const { env, onSecret } = context;
  return resolveRoutes(resolved, { env, onSecret, signal });
}
