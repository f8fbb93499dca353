import type { LoadedConfig } from '../config/index.js';
import { HEALTH_SERVICE } from '../serve/services/health-service.js';
import { WEBHOOKS_SERVICE } from '../serve/services/webhooks-service.js';
import { listeningUrl } from '../serve/webhook-routes.js';
import type { LastAnswer, RouteActivity } from '../webhooks/activity/activity.js';
import { readActivity } from '../webhooks/activity/activity-file.js';
import type { ServedService, Serving } from './serving.js';

/** The long-lived process and its webhooks; times in milliseconds since the epoch. */
export interface ListenerGlance {
  /** Undefined while none runs. */
  readonly process: ServingGlance | undefined;
  /** How many routes are switched on. */
  readonly routes: number;
  /** Answers of all listeners that ran for this state folder, and how many of them were rejections. */
  readonly requests: number;
  readonly rejected: number;
  readonly last: LastAnswer | null;
}

/** A `svc serve` or `svc webhook serve` that runs. */
export interface ServingGlance {
  readonly pid: number;
  readonly startedMs: number;
  /** Where webhooks, or else health, are answered; undefined where nothing listens. */
  readonly url: string | undefined;
  readonly services: number;
  /** What is wrong with some of them. */
  readonly failures: readonly ServiceTrouble[];
}

/** What is wrong with one service. */
export type ServiceTrouble = Pick<ServedService, 'failure' | 'name'>;

/** @param loaded undefined while the configuration cannot be read */
export function listenerGlance(
  serving: Serving | undefined,
  loaded: LoadedConfig | undefined,
  stateDir: string,
): ListenerGlance {
  const activity = Object.values(readActivity(stateDir));
  return {
    process: serving === undefined ? undefined : processGlance(serving),
    routes: loaded === undefined ? 0 : routesSwitchedOn(loaded),
    requests: sum(activity, ({ requests }) => requests),
    rejected: sum(activity, ({ rejected }) => rejected),
    last: activity.reduce<LastAnswer | null>((newest, { last }) => newer(newest, last), null),
  };
}

function processGlance({ pid, startedMs, services }: Serving): ServingGlance {
  return {
    pid,
    startedMs,
    url: listeningUrl(services, WEBHOOKS_SERVICE) ?? listeningUrl(services, HEALTH_SERVICE),
    services: services.length,
    failures: services
      .filter(({ failure }) => failure !== null)
      .map(({ name, failure }) => ({ name, failure })),
  };
}

function routesSwitchedOn({ resolved }: LoadedConfig): number {
  const { enabled, config } = resolved.plugins.entries.webhooks;
  return enabled ? Object.values(config.routes).filter((route) => route.enabled).length : 0;
}

function sum(activity: readonly RouteActivity[], figure: (route: RouteActivity) => number): number {
  return activity.reduce((total, route) => total + figure(route), 0);
}

function newer(a: LastAnswer | null, b: LastAnswer | null): LastAnswer | null {
  if (a === null || b === null) return a ?? b;
  return b.atMs > a.atMs ? b : a;
}
