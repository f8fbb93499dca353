import type { Clock } from '../../context.js';
import type { FlowRecord, Flows } from '../../flows/index.js';
import type { RouteStanding } from '../routes/served-route.js';
import type { LiveRouteActivity, WebhookActivity } from './activity.js';

/** How many of the newest flows are remembered. */
const MOST_FLOWS = 50;

/** The listener at one moment, for a screen. */
export interface WebhooksSnapshot {
  readonly routes: readonly (RouteStanding & { readonly activity: LiveRouteActivity })[];
  /** Flows that changed while somebody looked, the last one first. */
  readonly flows: readonly FlowRecord[];
}

/** Lets somebody look at the listener while it works. */
export interface LiveWebhooks {
  readonly snapshot: () => WebhooksSnapshot;
  /** Begins to remember flows; not before, since nobody may ever look. */
  readonly follow: () => void;
  readonly close: () => void;
}

/** What is looked at. */
export interface LiveSources {
  readonly standings: () => readonly RouteStanding[];
  readonly activity: WebhookActivity;
  readonly flows: Pick<Flows, 'subscribe'>;
  readonly clock: Clock;
}

/** Makes the view of a listener. */
export function liveWebhooks({ standings, activity, flows, clock }: LiveSources): LiveWebhooks {
  /** In the order of their changes. */
  const newest = new Map<string, FlowRecord>();
  let unsubscribe: (() => void) | undefined;
  return {
    snapshot: () => {
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
