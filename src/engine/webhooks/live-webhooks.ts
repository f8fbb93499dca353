import type { FlowRecord, Flows } from '../flows/index.js';
import type { Clock } from '../support/context.js';
import type { LiveRouteActivity, WebhookActivity } from './activity.js';
import type { Delivery, DeliveryDetails } from './deliveries/delivery.js';
import type { DeliveryFilter } from './deliveries/delivery-file.js';
import type { DeliveryReader } from './deliveries/delivery-reader.js';
import type { Replay, Replayed } from './deliveries/replay-delivery.js';
import type { RouteStanding } from './routes.js';

/** How many recently changed flows are kept. */
const MOST_FLOWS = 50;

/** The listener at one moment, for a screen. */
export interface WebhooksSnapshot {
  readonly routes: readonly (RouteStanding & { readonly activity: LiveRouteActivity })[];
  /** Flows that changed while followed, the latest first. */
  readonly flows: readonly FlowRecord[];
  /** The last 100 deliveries, the newest first; the same list while nothing was recorded. */
  readonly deliveries: readonly Delivery[];
}

/** A view of the listener while it runs. */
export interface LiveWebhooks {
  readonly snapshot: () => Promise<WebhooksSnapshot>;
  /** Starts to keep changed flows; not before, since there may never be a viewer. */
  readonly follow: () => void;
  readonly deliveries: LiveDeliveries;
  readonly close: () => void;
}

/** The recorded deliveries, for operators. */
export interface LiveDeliveries {
  /** The newest first. @throws SvcError DELIVERIES_UNUSABLE */
  readonly list: (filter: DeliveryFilter) => readonly Delivery[];
  /** @throws SvcError DELIVERY_NOT_FOUND, DELIVERIES_UNUSABLE */
  readonly find: (idOrPrefix: string) => DeliveryDetails;
  /** @throws SvcError as replayDelivery does */
  readonly replay: (replay: Replay) => Promise<Replayed>;
}

export interface LiveSources {
  readonly standings: () => readonly RouteStanding[];
  readonly activity: WebhookActivity;
  readonly flows: Pick<Flows, 'subscribe'>;
  readonly clock: Clock;
  readonly deliveries: DeliveryReader;
  readonly replay: LiveDeliveries['replay'];
}

export function liveWebhooks(sources: LiveSources): LiveWebhooks {
  const { standings, activity, flows, clock, deliveries, replay } = sources;
  /** In order of change. */
  const newest = new Map<string, FlowRecord>();
  let unsubscribe: (() => void) | undefined;
  return {
    snapshot: async () => {
      const nowMs = clock.now();
      return {
        routes: standings().map((standing) => ({
          ...standing,
          activity: activity.live(standing.id, nowMs),
        })),
        flows: [...newest.values()].toReversed(),
        deliveries: deliveries.recent(),
      };
    },
    follow: () => {
      unsubscribe ??= flows.subscribe((change) => {
        if (change.type !== 'flow') return;
        const { flow } = change;
        newest.delete(flow.flowId);
        newest.set(flow.flowId, flow);
        for (const oldest of newest.keys()) {
          if (newest.size <= MOST_FLOWS) break;
          newest.delete(oldest);
        }
      });
    },
    deliveries: {
      list: (filter) => deliveries.list(filter),
      find: (id) => deliveries.find(id),
      replay,
    },
    close: () => {
      unsubscribe?.();
      deliveries.close();
    },
  };
}
