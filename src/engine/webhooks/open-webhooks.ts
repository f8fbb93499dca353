import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/index.js';
import { gatewayAddress } from '../config/listen-address.js';
import type { EngineContext } from '../context.js';
import { messageOf, SvcError } from '../errors/index.js';
import { type Flows, openFlows } from '../flows/index.js';
import { WebhookActivity } from './activity/activity.js';
import { ActivityFile, readActivity } from './activity/activity-file.js';
import { type LiveWebhooks, liveWebhooks } from './activity/live-webhooks.js';
import { AnswerLog } from './listener/answer-log.js';
import type { ClientPatience } from './listener/create-server.js';
import { WebhookListener } from './listener/webhook-listener.js';
import { createMetrics, type WebhookMetrics } from './metrics.js';
import { describedRoutes } from './openapi/described-routes.js';
import { Pipeline } from './pipeline.js';
import { type ResolvedRoutes, resolveRoutes } from './routes/resolve-routes.js';
import { RouteTable } from './routes/route-table.js';
import type { RouteStanding } from './routes/served-route.js';

/** What the listener is opened with. */
export interface WebhooksOptions {
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  readonly patience?: ClientPatience | undefined;
  /** Adds what is served beside the routes. */
  readonly extend: (server: FastifyInstance, metrics: WebhookMetrics) => void;
}

/** What a reload came to. */
export type WebhooksReload =
  | { readonly type: 'changed'; readonly standings: readonly RouteStanding[] }
  /** Nothing was changed; the old routes and secrets go on. */
  | { readonly type: 'kept'; readonly why: SvcError }
  /** It takes a new start. */
  | { readonly type: 'unable' };

/** All routes, their listener and their flows. Made, listened with, perhaps reloaded, drained, closed. */
export class Webhooks {
  readonly metrics: WebhookMetrics;
  readonly live: LiveWebhooks;
  private readonly options: WebhooksOptions;
  private readonly flows: Flows;
  private readonly activity: WebhookActivity;
  private readonly activityFile: ActivityFile;
  private readonly listener: WebhookListener;
  private loaded: LoadedConfig;
  private resolved: ResolvedRoutes;

  /** Use {@link openWebhooks}. */
  constructor(options: WebhooksOptions, resolved: ResolvedRoutes, flows: Flows) {
    const { context, loaded, log } = options;
    const { clock, state } = context;
    this.options = options;
    this.loaded = loaded;
    this.resolved = resolved;
    this.flows = flows;
    this.activity = new WebhookActivity(readActivity(state.stateDir));
    this.activityFile = new ActivityFile(state.stateDir, () => this.activity.totals());
    this.live = liveWebhooks({
      standings: () => this.resolved.standings,
      activity: this.activity,
      flows: this.flows,
      clock,
    });
    this.metrics = createMetrics({
      underWay: () => this.listener.underWay,
      standings: () => this.resolved.standings,
    });
    const answerLog = new AnswerLog(log);
    this.listener = new WebhookListener({
      address: gatewayAddress(loaded, context),
      log,
      patience: options.patience,
      pipeline: new Pipeline({
        flows: this.flows,
        now: () => performance.now(),
        onFailure: (error) => log.error({ err: error }, `not performed: ${messageOf(error)}`),
      }),
      ...this.served(loaded, resolved),
      onAnswered: (answered) => {
        this.metrics.answered(answered);
        this.activity.record(answered, clock.now());
        this.activityFile.touch();
        answerLog.record(answered, performance.now());
      },
      extend: (server) => {
        options.extend(server, this.metrics);
        this.addOpenApi(server);
      },
    });
  }

  get standings(): readonly RouteStanding[] {
    return this.resolved.standings;
  }

  /** Requests on known routes that are not answered to the end. */
  get underWay(): number {
    return this.listener.underWay;
  }

  /** Begins to listen; see WebhookListener. */
  listen(onError: (error: unknown) => void): Promise<string> {
    return this.listener.listen(onError);
  }

  /** Takes on routes, limits and secrets of another configuration: all of them, or none. */
  async reload(loaded: LoadedConfig): Promise<WebhooksReload> {
    if (!this.isReloadable(loaded)) return { type: 'unable' };
    const { context } = this.options;
    const resolved = await resolveRoutes(loaded.resolved, context);
    const skipped = resolved.standings.find(({ state }) => state === 'skipped');
    if (skipped !== undefined) return { type: 'kept', why: unresolved(skipped) };
    try {
      this.listener.renewCertificate();
    } catch (error) {
      return { type: 'kept', why: badCertificate(error) };
    }
    this.loaded = loaded;
    this.resolved = resolved;
    this.listener.replace(this.served(loaded, resolved));
    return { type: 'changed', standings: resolved.standings };
  }

  /** Ends the requests under way; new ones are told to come back. */
  drain(): Promise<void> {
    return this.listener.drain();
  }

  /** Closes connections and files. */
  async close(): Promise<void> {
    await this.listener.close();
    this.live.close();
    this.activityFile.close();
    this.metrics.close();
    await this.flows.close();
  }

  private addOpenApi(server: FastifyInstance): void {
    server.get('/openapi.json', async (_request, reply) => {
      if (!this.loaded.resolved.plugins.entries.webhooks.config.openapi)
        return reply.callNotFound();
      const { openApiDocument } = await import('./openapi/openapi-document.js');
      const routes = describedRoutes(this.loaded.resolved).filter(({ id }) =>
        this.resolved.served.some((route) => route.id === id),
      );
      return reply.send(openApiDocument({ serverUrl: undefined, routes }));
    });
  }

  private served({ resolved }: LoadedConfig, { served }: ResolvedRoutes) {
    const { limits } = resolved.plugins.entries.webhooks.config;
    return { routes: new RouteTable(served), limits };
  }

  /** Where it listens and what flows are opened with cannot be changed under way. */
  private isReloadable(next: LoadedConfig): boolean {
    const fixed = ({ resolved: { gateway, flows } }: LoadedConfig) => {
      const { drainSeconds: _, ...address } = gateway;
      return { address, flows };
    };
    return isDeepStrictEqual(fixed(this.loaded), fixed(next));
  }
}

/**
 * Reads the secrets of all routes and opens their flows. It does not listen yet.
 *
 * @throws SvcError FLOWS_* when the flows cannot be opened; the system's error for a certificate that
 *   cannot be read
 */
export async function openWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { context, loaded } = options;
  const resolved = await resolveRoutes(loaded.resolved, context);
  const flows = openFlows(context, loaded.resolved);
  try {
    return new Webhooks(options, resolved, flows);
  } catch (error) {
    await flows.close();
    throw error;
  }
}

function unresolved({ id, fault }: RouteStanding): SvcError {
  const { message = 'its secret cannot be read', hint } = fault ?? {};
  return new SvcError('SECRET_UNRESOLVED', `route ${id}: ${message}`, hint == null ? {} : { hint });
}

function badCertificate(error: unknown): SvcError {
  return new SvcError('LISTEN_FAILED', `the certificate cannot be used: ${messageOf(error)}`, {
    hint: 'mend the files that gateway.tls names, then reload again',
    cause: error,
  });
}
