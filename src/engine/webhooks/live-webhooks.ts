import type { FlowRecord, Flows } from '../flows/index.js';
import type { Clock } from '../support/context.js';
import type { LiveRouteActivity, WebhookActivity } from './activity.js';
import type { RouteStanding } from './routes.js';

/** How many recently changed flows are kept. */
const MOST_FLOWS = 50;

/** The listener at one moment, for a screen. */
export interface WebhooksSnapshot {
  readonly routes: readonly (RouteStanding & { readonly activity: LiveRouteActivity })[];
  /** Flows that changed while followed, the latest first. */
  readonly flows: readonly FlowRecord[];
}

/** A view of the listener while it runs. */
export interface LiveWebhooks {
  readonly snapshot: () => Promise<WebhooksSnapshot>;
  /** Starts to keep changed flows; not before, since there may never be a viewer. */
  readonly follow: () => void;
  readonly close: () => void;
}

export interface LiveSources {
  readonly standings: () => readonly RouteStanding[];
  readonly activity: WebhookActivity;
  readonly flows: Pick<Flows, 'subscribe'>;
  readonly clock: Clock;
}

export function liveWebhooks({ standings, activity, flows, clock }: LiveSources): LiveWebhooks {
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
    close: () => unsubscribe?.(),
  };
}
