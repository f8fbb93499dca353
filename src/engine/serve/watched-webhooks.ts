import type { LoadedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import type { FlowRecord } from '../flow-model/flow-record.js';
import { type Flows, openExistingFlows } from '../flows/index.js';
import type { SecretMask } from '../masking/index.js';
import type { EngineContext } from '../support/context.js';
import { DeliveryReader } from '../webhooks/deliveries/delivery-reader.js';
import type { LiveDeliveries, LiveWebhooks, WebhooksSnapshot } from '../webhooks/index.js';
import {
  type RouteStatus,
  readActivity,
  routeStatusesWhenOff,
  type StoredActivity,
  WebhookActivity,
} from '../webhooks/index.js';
import { runningServeState } from './instance-lock.js';
import { WEBHOOKS_SERVICE } from './services/webhooks-service.js';
import type { ServeState } from './state-file.js';

/** The listener stores its activity every two seconds. */
const READ_EVERY_MS = 1000;
const MOST_FLOWS = 50;

/**
 * The listener of another process, as seen in what it stores: no secret is read, and no request is sent.
 * Refreshed with each snapshot, at most once a second.
 */
export class WatchedWebhooks implements LiveWebhooks {
  private readonly context: EngineContext;
  private readonly loaded: LoadedConfig;
  private readonly activity = new WebhookActivity();
  private readMs = Number.NEGATIVE_INFINITY;
  private running: ServeState | undefined;
  private problems: StoredActivity['problems'] = {};
  private opened: Flows | undefined;
  private flows: readonly FlowRecord[] = [];
  private version: string | undefined;
  private reading: Promise<void> = Promise.resolve();

  readonly deliveries: LiveDeliveries;
  private readonly reader: DeliveryReader;

  constructor(context: EngineContext, loaded: LoadedConfig, mask: Pick<SecretMask, 'text'>) {
    this.context = context;
    this.loaded = loaded;
    const reader = new DeliveryReader(context.state.stateDir);
    this.reader = reader;
    this.deliveries = {
      list: (filter) => reader.list(filter),
      find: (id) => reader.find(id),
      replay: async (replay) => {
        const { replayDelivery } = await import('../webhooks/deliveries/replay-delivery.js');
        return replayDelivery(replay, { context, loaded, mask });
      },
    };
  }

  /** The running process, if any. */
  serving(): ServeState | undefined {
    this.refresh();
    return this.running;
  }

  async snapshot(): Promise<WebhooksSnapshot> {
    this.refresh();
    await this.reading;
    const nowMs = this.context.clock.now();
    const routes = this.statuses().map((route) => {
      return { ...route, activity: this.activity.live(route.id, nowMs) };
    });
    return { routes, flows: this.flows, deliveries: this.reader.recent() };
  }

  follow(): void {
    this.refresh();
  }

  close(): void {
    this.reader.close();
    void this.reading.then(() => this.opened?.close());
  }

  /** A route is served if the listener works and did not store that it is skipped. */
  private statuses(): readonly RouteStatus[] {
    const { resolved } = this.loaded;
    const { enabled, config } = resolved.plugins.entries.webhooks;
    const routes = routeStatusesWhenOff(resolved);
    const listener = this.running?.services.find(({ name }) => name === WEBHOOKS_SERVICE);
    if (!enabled || listener?.state !== 'ready') return routes;
    return routes.map((route) => {
      if (config.routes[route.id]?.enabled !== true) return route;
      return { ...route, state: 'served', ...this.problems[route.id] };
    });
  }

  private refresh(): void {
    const nowMs = this.context.clock.now();
    if (nowMs - this.readMs < READ_EVERY_MS) return;
    this.readMs = nowMs;
    const { stateDir } = this.context.state;
    this.running = runningServeState(stateDir);
    const { routes, problems } = readActivity(stateDir);
    this.problems = problems;
    for (const [id, activity] of Object.entries(routes)) {
      this.activity.follow(id, activity, nowMs);
    }
    this.reading = this.reading.then(() => this.refreshFlows()).catch(ignoreReadFailure);
  }

  private async refreshFlows(): Promise<void> {
    this.opened ??= await openExistingFlows(this.context, this.loaded.resolved);
    const version = await this.opened?.version();
    if (this.opened === undefined || version === this.version) return;
    this.version = version;
    const { entries } = await this.opened.operator.listFlows({ limit: MOST_FLOWS });
    this.flows = entries.map(({ flow }) => flow).toSorted((a, b) => b.updatedAt - a.updatedAt);
  }
}

/** Flows that cannot be read now are read again with a later snapshot. */
function ignoreReadFailure(error: unknown): void {
  if (!(error instanceof SvcError)) throw error;
}
