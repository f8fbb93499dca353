import type { AnsweredRequest } from '../listener/answered.js';

/** How far back the traffic of a route is shown, in seconds. */
const SHOWN_SECONDS = 60;

/** The last answer of a route; times in milliseconds since the epoch. */
export interface LastAnswer {
  readonly atMs: number;
  readonly status: number;
  /** Null for an action that was performed. */
  readonly code: string | null;
  readonly action: string | null;
}

/** What a route has done. */
export interface RouteActivity {
  /** Answers altogether, and how many of them were rejections. */
  readonly requests: number;
  readonly rejected: number;
  readonly last: LastAnswer | null;
}

/** The same with what only the running process knows. */
export interface LiveRouteActivity extends RouteActivity {
  /** Answers in each of the last seconds, the present one last. */
  readonly perSecond: readonly number[];
  /** How often each code was given since the start, the most frequent first. */
  readonly rejections: readonly (readonly [code: string, count: number])[];
}

interface Counters {
  requests: number;
  rejected: number;
  last: LastAnswer | null;
  readonly seconds: Uint32Array;
  /** The second that was counted last; whole seconds since the epoch. */
  second: number;
  readonly codes: Map<string, number>;
}

/** Counts what each route answers. A few additions a request: it is on the way of every one. */
export class WebhookActivity {
  private readonly routes = new Map<string, Counters>();

  /** @param known what earlier processes counted */
  constructor(known: Readonly<Record<string, RouteActivity>> = {}) {
    for (const [id, { requests, rejected, last }] of Object.entries(known)) {
      this.routes.set(id, { ...newCounters(), requests, rejected, last });
    }
  }

  record({ routeId, status, code, action }: AnsweredRequest, nowMs: number): void {
    const counters = this.countersOf(routeId);
    counters.requests += 1;
    counters.last = { atMs: nowMs, status, code, action };
    moveTo(counters, nowMs);
    const at = counters.second % SHOWN_SECONDS;
    counters.seconds[at] = (counters.seconds[at] ?? 0) + 1;
    if (code === null) return;
    counters.rejected += 1;
    counters.codes.set(code, (counters.codes.get(code) ?? 0) + 1);
  }

  /** What is worth keeping, by route. */
  totals(): Readonly<Record<string, RouteActivity>> {
    return Object.fromEntries(
      Array.from(this.routes, ([id, { requests, rejected, last }]) => [
        id,
        { requests, rejected, last },
      ]),
    );
  }

  live(routeId: string, nowMs: number): LiveRouteActivity {
    const counters = this.routes.get(routeId) ?? newCounters();
    moveTo(counters, nowMs);
    const { requests, rejected, last, seconds, second, codes } = counters;
    return {
      requests,
      rejected,
      last,
      perSecond: Array.from(seconds, (_, at) => seconds[(second + 1 + at) % SHOWN_SECONDS] ?? 0),
      rejections: [...codes].toSorted(([, a], [, b]) => b - a),
    };
  }

  private countersOf(routeId: string): Counters {
    const known = this.routes.get(routeId);
    if (known !== undefined) return known;
    const counters = newCounters();
    this.routes.set(routeId, counters);
    return counters;
  }
}

function newCounters(): Counters {
  return {
    requests: 0,
    rejected: 0,
    last: null,
    seconds: new Uint32Array(SHOWN_SECONDS),
    second: 0,
    codes: new Map(),
  };
}

/** Empties the seconds that have passed since the last one that was counted. */
function moveTo(counters: Counters, nowMs: number): void {
  const second = Math.floor(nowMs / 1000);
  if (second === counters.second) return;
  const passed = second - counters.second;
  // A clock that was set back, or a long rest.
  if (passed < 0 || passed >= SHOWN_SECONDS) counters.seconds.fill(0);
  else {
    for (let at = counters.second + 1; at <= second; at++) counters.seconds[at % SHOWN_SECONDS] = 0;
  }
  counters.second = second;
}
