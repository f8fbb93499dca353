import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../support/json-file.js';
import type { AnsweredRequest } from './answer-log.js';
import type { RouteStatus } from './routes.js';

const SHOWN_SECONDS = 60;

const lastAnswerSchema = z.readonly(
  z.object({
    /** Milliseconds since the epoch. */
    atMs: z.number(),
    status: z.number(),
    /** Null for an action that was performed. */
    code: z.nullable(z.string()),
    action: z.nullable(z.string()),
  }),
);
const routeActivitySchema = z.readonly(
  z.object({ requests: z.number(), rejected: z.number(), last: z.nullable(lastAnswerSchema) }),
);
const problemSchema = z.readonly(
  z.object({
    state: z.enum(['served', 'skipped']),
    fault: z.readonly(z.object({ message: z.string(), hint: z.nullable(z.string()) })),
  }),
);
const stateSchema = z.object({
  routes: z.catch(z.record(z.string(), z.unknown()), {}),
  problems: z.catch(z.record(z.string(), problemSchema), {}),
});

/** The last answer of a route. */
export type LastAnswer = z.infer<typeof lastAnswerSchema>;
/** How many requests a route answered and rejected, and its last answer. */
export type RouteActivity = z.infer<typeof routeActivitySchema>;

/** What a listener could not read of the secrets of a route. */
type RouteProblem = z.infer<typeof problemSchema>;

/** What a listener stores about its routes. */
interface StoredActivity {
  readonly routes: Readonly<Record<string, RouteActivity>>;
  readonly problems: Readonly<Record<string, RouteProblem>>;
}

/** With what only the running process knows. */
export interface LiveRouteActivity extends RouteActivity {
  /** Answers in each of the last seconds, the current one last. */
  readonly perSecond: readonly number[];
  /** How often each code was sent since the start, most frequent first. */
  readonly rejections: readonly (readonly [code: string, count: number])[];
}

interface Counters {
  total: RouteActivity;
  readonly seconds: Uint32Array;
  /** The last counted second since the epoch. */
  second: number;
  readonly codes: Map<string, number>;
}

/** Counts the answers of each route. Cheap, because every request passes it. */
export class WebhookActivity {
  private readonly routes = new Map<string, Counters>();

  /** @param known counted by earlier processes */
  constructor(known: Readonly<Record<string, RouteActivity>> = {}) {
    for (const [id, total] of Object.entries(known)) {
      this.routes.set(id, { ...newCounters(), total });
    }
  }

  record(
    {
      routeId,
      status,
      code,
      action,
    }: Pick<AnsweredRequest, 'action' | 'code' | 'routeId' | 'status'>,
    nowMs: number,
  ): void {
    const counters = this.countersOf(routeId);
    const { requests, rejected } = counters.total;
    const last = { atMs: nowMs, status, code, action };
    counters.total = { requests: requests + 1, rejected: rejected + (code === null ? 0 : 1), last };
    countSecond(counters, 1, nowMs);
    if (code !== null) counters.codes.set(code, (counters.codes.get(code) ?? 0) + 1);
  }

  /** Takes what another process has stored of a route. What it has more than before counts as requests of now. */
  follow(routeId: string, total: RouteActivity, nowMs: number): void {
    const before = this.routes.get(routeId)?.total ?? total;
    const counters = this.countersOf(routeId);
    counters.total = total;
    countSecond(counters, Math.max(0, total.requests - before.requests), nowMs);
    if (total.rejected > 0) counters.codes.set('total', total.rejected);
  }

  /** What is stored, by route. */
  totals(): Readonly<Record<string, RouteActivity>> {
    return Object.fromEntries(Array.from(this.routes, ([id, { total }]) => [id, total]));
  }

  live(routeId: string, nowMs: number): LiveRouteActivity {
    const counters = this.routes.get(routeId) ?? newCounters();
    moveTo(counters, nowMs);
    const { total, seconds, second, codes } = counters;
    return {
      ...total,
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
    total: { requests: 0, rejected: 0, last: null },
    seconds: new Uint32Array(SHOWN_SECONDS),
    second: 0,
    codes: new Map(),
  };
}

function countSecond(counters: Counters, more: number, nowMs: number): void {
  moveTo(counters, nowMs);
  const at = counters.second % SHOWN_SECONDS;
  counters.seconds[at] = (counters.seconds[at] ?? 0) + more;
}

/** Clears the seconds that have passed since the last counted one. */
function moveTo(counters: Counters, nowMs: number): void {
  const second = Math.floor(nowMs / 1000);
  if (second === counters.second) return;
  const passed = second - counters.second;
  // The clock was set back, or there was a long pause.
  if (passed < 0 || passed >= SHOWN_SECONDS) counters.seconds.fill(0);
  else {
    for (let at = counters.second + 1; at <= second; at++) counters.seconds[at % SHOWN_SECONDS] = 0;
  }
  counters.second = second;
}

/** Requests in quick succession are written together. */
const WRITE_AFTER_MS = 2000;

function pathOf(stateDir: string): string {
  return join(stateDir, 'webhooks.json');
}

/**
 * The activity of routes, and the problems that the last listener had with secrets, both by the ids of routes. Empty if
 * the file is missing or damaged: it is only for display.
 */
export function readActivity(stateDir: string): StoredActivity {
  const { data } = stateSchema.safeParse(readJsonFile(pathOf(stateDir)));
  const routes = Object.fromEntries(
    Object.entries(data?.routes ?? {}).flatMap(([id, route]) => {
      const read = routeActivitySchema.safeParse(route);
      return read.success ? [[id, read.data]] : [];
    }),
  );
  return { routes, problems: data?.problems ?? {} };
}

function problemsOf(statuses: readonly RouteStatus[]): Readonly<Record<string, RouteProblem>> {
  return Object.fromEntries(
    statuses.flatMap(({ id, state, fault }) =>
      state === 'off' || fault === null ? [] : [[id, { state, fault }]],
    ),
  );
}

/** What the file is written from. */
interface ActivitySources {
  readonly totals: () => Readonly<Record<string, RouteActivity>>;
  readonly statuses: () => readonly RouteStatus[];
  /** Called with the number of requests since the last call. */
  readonly onRequests: (requests: number) => void;
}

/** Stores activity a moment after it changed. It is only for display, and can be lost. */
export function activityFile(stateDir: string, { totals, statuses, onRequests }: ActivitySources) {
  let requests = 0;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    onRequests(requests);
    requests = 0;
    try {
      writeJsonFile(pathOf(stateDir), { routes: totals(), problems: problemsOf(statuses()) });
    } catch {
      // On a full disk the flows report it, and the next request tries again.
    }
  };
  return {
    /** Called after the routes have changed. */
    write,
    /** Called after each request. */
    touch: (): void => {
      requests += 1;
      timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
    },
    close: (): void => {
      if (timer !== undefined) write();
    },
  };
}
