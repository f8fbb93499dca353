import type { LoadedConfig } from '../config/index.js';
import { type Flows, openExistingFlows } from '../flows/index.js';
import type { SecretMask } from '../masking/index.js';
import type { EngineContext } from '../support/context.js';
import {
  type RouteStatus,
  readActivity,
  routeStatusesWhenOff,
  WebhookActivity,
} from '../webhooks/index.js';
import { liveWebhooks } from '../webhooks/live-webhooks.js';
import { runningServeState } from './instance-lock.js';
import { WEBHOOKS_SERVICE } from './services/webhooks-service.js';

/** The listener of another process, as seen in what it stores: no secret is read, and no request is sent. */
export function watchedWebhooks(
  context: EngineContext,
  loaded: LoadedConfig,
  mask: Pick<SecretMask, 'text'>,
) {
  const { clock, state } = context;
  const activity = new WebhookActivity();
  let flows: Flows | undefined;
  /** The running process, if any. */
  const serving = () => runningServeState(state.stateDir);
  /** A route is served if the listener works and did not store that it is skipped. */
  const statuses = (): readonly RouteStatus[] => {
    const { routes: stored, problems } = readActivity(state.stateDir);
    for (const [id, route] of Object.entries(stored)) activity.follow(id, route, clock.now());
    const { enabled, config } = loaded.resolved.plugins.entries.webhooks;
    const routes = routeStatusesWhenOff(loaded.resolved);
    const listener = serving()?.services.find(({ name }) => name === WEBHOOKS_SERVICE);
    if (!enabled || listener?.state !== 'ready') return routes;
    return routes.map((route) => {
      if (config.routes[route.id]?.enabled !== true) return route;
      return { ...route, state: 'served', ...problems[route.id] };
    });
  };
  const live = liveWebhooks(context, {
    activity,
    statuses,
    flows: async () => {
      flows ??= await openExistingFlows(context, loaded.resolved);
      return flows;
    },
    replay: async (replay) => {
      const { replayDelivery } = await import('../webhooks/deliveries/replay-delivery.js');
      return replayDelivery(replay, { context, loaded, mask });
    },
  });
  return {
    ...live,
    serving,
    close: async (): Promise<void> => {
      live.close();
      await flows?.close();
    },
  };
}
