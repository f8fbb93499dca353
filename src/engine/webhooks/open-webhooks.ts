import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { gatewayAddress, type LoadedConfig } from '../config/index.js';
import { type Flows, openFlowsToServe, opensSameFlows } from '../flows/index.js';
import type { SecretMask } from '../masking/index.js';
import type { EngineContext } from '../support/context.js';
import { activityFile, readActivity, WebhookActivity } from './activity.js';
import { AnswerLog } from './answer-log.js';
import { flowIdOf, replayHeaders } from './deliveries/delivery.js';
import { DeliveryRecorder } from './deliveries/delivery-recorder.js';
import { replayDelivery } from './deliveries/replay-delivery.js';
import { type LiveWebhooks, liveWebhooks } from './live-webhooks.js';
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
export class Webhooks {
  readonly metrics: WebhookMetrics;
  readonly live: LiveWebhooks;
  private readonly options: WebhooksOptions;
  private readonly flows: Flows;
  private readonly activity: WebhookActivity;
  private readonly activityFile: ReturnType<typeof activityFile>;
  private readonly recorder: DeliveryRecorder;
  private readonly listener: WebhookListener;
  private loaded: LoadedConfig;
  private resolved: ResolvedRoutes;

  /** Use {@link openWebhooks}. */
  constructor(options: WebhooksOptions, resolved: ResolvedRoutes, flows: Flows) {
    const { context, loaded, log, mask } = options;
    const { clock, state } = context;
    const { stateDir } = state;
    this.options = options;
    this.loaded = loaded;
    this.resolved = resolved;
    this.flows = flows;
    this.activity = new WebhookActivity(readActivity(stateDir).routes);
    this.activityFile = activityFile(stateDir, {
      totals: () => this.activity.totals(),
      statuses: () => this.resolved.statuses,
      onRequests: (requests) => {
        if (this.loaded.resolved.logging.activity) context.onActivity?.({ requests });
      },
    });
    this.live = liveWebhooks(context, {
      activity: this.activity,
      statuses: () => this.resolved.statuses,
      flows: async () => flows,
      replay: (replay) => replayDelivery(replay, { loaded: this.loaded, context, mask }, flows),
    });
    this.metrics = createMetrics({
      flows: () => this.flows,
      isStoring: options.isStoring,
      context,
      requestsInFlight: () => this.listener.requestsInFlight,
      routeStatuses: () => this.resolved.statuses,
      deliveries: () => this.recorder.counts,
    });
    const answerLog = new AnswerLog(log);
    const { accessLog } = loaded.resolved.logging;
    this.listener = new WebhookListener({
      address: gatewayAddress(loaded, context),
      log,
      patience: options.patience,
      pipeline: new Pipeline({
        flows: { perform: this.metrics.countActions(this.flows.perform) },
        now: () => performance.now(),
        clock,
        onFailure: (error, request) => {
          answerLog.failed(error, performance.now(), request);
        },
      }),
      ...this.reloadableOptions(loaded, resolved),
      onAnswered: (answered, { route, headers, handled }) => {
        const atMs = clock.now();
        this.metrics.countAnswer(answered);
        this.activity.record(answered, atMs);
        this.recorder.record({
          answered,
          atMs,
          headers: replayHeaders(route, headers),
          delivery: handled.delivery,
          flowId: flowIdOf(handled.answer),
          replayOf: null,
        });
        this.activityFile.touch();
        answerLog.record(answered, performance.now());
        if (accessLog) answerLog.access({ ...answered, route: answered.routeId, path: undefined });
      },
      onFault: (request) => {
        this.metrics.countUnrouted(request.status);
        answerLog.unrouted(request, performance.now());
        if (accessLog && !request.isHooked) answerLog.access(request);
      },
      onOther: accessLog ? (request) => answerLog.access(request) : undefined,
      extend: (server) => {
        options.extend(server, this.metrics);
        this.addOpenApi(server);
      },
    });
    // Last, because it opens its file: without a usable certificate, there is no listener.
    const { deliveries: limits } = loaded.resolved.plugins.entries.webhooks.config;
    this.recorder = new DeliveryRecorder({ limits, stateDir, mask, clock, log });
  }

  get routeStatuses(): readonly RouteStatus[] {
    return this.resolved.statuses;
  }

  /** Whether changes of flows can be stored. */
  get writes(): Flows['writes'] {
    return this.flows.writes;
  }

  /** Starts to listen; see WebhookListener. */
  async listen(onError: (error: unknown) => void): Promise<string> {
    const url = await this.listener.listen(onError);
    this.activityFile.write();
    return url;
  }

  /**
   * Applies the routes, limits and secrets of another configuration. As at the start, a route whose secret
   * cannot be read is not served.
   *
   * @returns false if it needs a restart
   * @throws the system's error when the certificate cannot be read
   */
  async reload(loaded: LoadedConfig): Promise<boolean> {
    if (!this.isReloadable(loaded)) return false;
    const resolved = await routesOf(loaded, this.options);
    this.listener.renewCertificate();
    this.loaded = loaded;
    this.resolved = resolved;
    this.listener.replace(this.reloadableOptions(loaded, resolved));
    this.activityFile.write();
    this.recorder.setLimits(loaded.resolved.plugins.entries.webhooks.config.deliveries);
    return true;
  }

  /** Finishes the requests in flight; new ones get a 503. */
  async drain(): Promise<void> {
    await this.listener.drain();
    this.recorder.writeNow();
  }

  /** Closes connections and files. */
  async close(): Promise<void> {
    await this.listener.close();
    await this.recorder.close();
    this.live.close();
    this.activityFile.close();
    this.metrics.close();
    await this.flows.close();
  }

  private addOpenApi(server: FastifyInstance): void {
    server.get('/openapi.json', async (_request, reply) => {
      if (!this.loaded.resolved.plugins.entries.webhooks.config.openapi)
        return reply.callNotFound();
      const routes = describedRoutes(this.loaded.resolved).filter(({ id }) =>
        this.resolved.served.some((route) => route.id === id),
      );
      return reply.send(openApiDocument({ serverUrl: undefined, routes }));
    });
  }

  private reloadableOptions({ resolved }: LoadedConfig, { served }: ResolvedRoutes) {
    const { limits } = resolved.plugins.entries.webhooks.config;
    return { findRoute: routeFinder(served), limits };
  }

  /** The address, the access log, and where and how flows are kept cannot change while running. */
  private isReloadable(next: LoadedConfig): boolean {
    const fixed = ({ resolved }: LoadedConfig) => {
      const { drainSeconds: _, ...address } = resolved.gateway;
      return { address, accessLog: resolved.logging.accessLog };
    };
    return (
      isDeepStrictEqual(fixed(this.loaded), fixed(next)) &&
      opensSameFlows(this.loaded.resolved, next.resolved)
    );
  }
}

/**
 * Reads the secrets of all routes and opens their flows, without listening yet.
 *
 * @throws SvcError FLOWS_* if the file of flows cannot be opened; the system's error if a certificate cannot be read; the
 *   signal's reason
 */
export async function openWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { context, loaded } = options;
  const resolved = await routesOf(loaded, options);
  const flows = await openFlowsToServe(context, loaded.resolved);
  try {
    return new Webhooks(options, resolved, flows);
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
