import type { FlowRecord } from '../flow-model/flow-record.js';
import type { Flows } from '../flows/index.js';
import type { EngineContext } from '../support/context.js';
import { isWithin } from '../support/time.js';
import type { LiveRouteActivity, WebhookActivity } from './activity.js';
import { DeliveryReader } from './deliveries/delivery-reader.js';
import type { Delivery } from './deliveries/delivery-record.js';
import type { Replay, ReplayResult } from './deliveries/replay-delivery.js';
import type { RouteStatus } from './routes.js';

type LiveRoute = RouteStatus & { readonly activity: LiveRouteActivity };

/** The listener at one moment, for a screen. */
export interface WebhooksSnapshot {
  readonly routes: readonly LiveRoute[];
  /** The newest flows as last read, the last changed first. */
  readonly flows: readonly FlowRecord[];
  /** The last 100 deliveries, the newest first; the same list while nothing was recorded. */
  readonly deliveries: readonly Delivery[];
}

/** A view of a listener while it runs. */
export interface LiveWebhooks {
  readonly routes: () => readonly LiveRoute[];
  /** Waits for nothing: a store of flows that hangs must not stop a screen. */
  readonly snapshot: () => WebhooksSnapshot;
  /** Why the flows could not be read when that was last tried. */
  readonly flowsFault: () => unknown;
  readonly deliveries: LiveDeliveries;
  readonly close: () => void;
}

/** The recorded deliveries, for operators. */
interface LiveDeliveries extends Pick<DeliveryReader, 'find' | 'list'> {
  /** @throws SvcError as replayDelivery does */
  readonly replay: (replay: Replay) => Promise<ReplayResult>;
}

/** What a view is made from. */
interface LiveSources extends Pick<LiveDeliveries, 'replay'> {
  readonly activity: WebhookActivity;
  readonly statuses: () => readonly RouteStatus[];
  /** Undefined while there are none. */
  readonly flows: () => Promise<Pick<Flows, 'operator' | 'version'> | undefined>;
}

const MOST_FLOWS = 50;
const READ_FLOWS_EVERY_MS = 1000;

/** Reads flows with snapshots only, at most once a second: there may never be a viewer. */
export function liveWebhooks(
  { clock, state }: Pick<EngineContext, 'clock' | 'state'>,
  { activity, statuses, flows, replay }: LiveSources,
): LiveWebhooks {
  const deliveries = new DeliveryReader(state.stateDir);
  let shownFlows: readonly FlowRecord[] = [];
  let version: string | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  let isReading = false;
  let fault: unknown;
  const readFlows = async (): Promise<void> => {
    const opened = await flows();
    const current = await opened?.version();
    if (opened === undefined || current === version) return;
    const { entries } = await opened.operator.listFlows({ limit: MOST_FLOWS });
    shownFlows = entries.map(({ flow }) => flow).toSorted((a, b) => b.updatedAt - a.updatedAt);
    version = current;
  };
  const readSoon = (): void => {
    const nowMs = clock.now();
    if (isReading || isWithin(readMs, nowMs, READ_FLOWS_EVERY_MS)) return;
    readMs = nowMs;
    isReading = true;
    const ended = (error?: unknown): void => {
      isReading = false;
      fault = error;
    };
    // What cannot be read now is read again with a later snapshot.
    void readFlows().then(() => ended(), ended);
  };
  const routes = (): readonly LiveRoute[] => {
    const nowMs = clock.now();
    return statuses().map((route) => ({ ...route, activity: activity.live(route.id, nowMs) }));
  };
  return {
    routes,
    snapshot: () => {
      readSoon();
      return { routes: routes(), flows: shownFlows, deliveries: deliveries.recent() };
    },
    flowsFault: () => fault,
    deliveries: {
      list: (filter) => deliveries.list(filter),
      find: (id) => deliveries.find(id),
      replay,
    },
    close: () => deliveries.close(),
  };
}
