import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type LoadedConfig, loadConfig } from '../config/index.js';
import {
  type DreamTarget,
  dreamTargets,
  hasFailed,
  isMemoryFull,
  nextSweepMs,
  readDreams,
  sweepOutput,
} from '../dreaming/index.js';
import { SvcError } from '../errors/index.js';
import type { PauseRecord } from '../flow-model/task-record.js';
import {
  type FlowCounts,
  type Flows,
  openExistingFlows,
  type UnclaimedTasks,
} from '../flows/index.js';
import { MEMORY_FILE } from '../memory-files/guarded-file.js';
import type { ServeState } from '../serve/index.js';
import { isInstanceRunning } from '../serve/instance-lock.js';
import type { EngineContext } from '../support/context.js';
import { fileStamp } from '../support/files.js';
import { isWithin } from '../support/time.js';
import { type LastAnswer, type RouteActivity, readActivity } from '../webhooks/index.js';

/** Dreaming of one workspace, for one line; times in milliseconds since the epoch. */
export interface DreamsSummary {
  /** The agents of the workspace. */
  readonly agents: readonly string[];
  readonly enabled: boolean;
  /** When the next sweep is due; undefined when none is. */
  readonly nextMs: number | undefined;
  /** Undefined before the first sweep. */
  readonly last:
    | {
        readonly startedMs: number;
        readonly failed: boolean;
        /** How many claims it wrote to `MEMORY.md`. */
        readonly written: number;
        /** Whether all of them were taken back. */
        readonly undone: boolean;
      }
    | undefined;
  /** Whether `MEMORY.md` has no room, because a person's own lines alone are over its budget. */
  readonly isFull: boolean;
  /** Why the sweeps cannot be read. */
  readonly fault: WorkFault | undefined;
}

/** Changes with the files that {@link dreamsOf} reads, and when a sweep becomes due. */
export function dreamsStamp(targets: readonly DreamTarget[], nowMs: number): string {
  const files = targets.flatMap(
    ({
      workspace: {
        dir,
        files: { database },
      },
    }) => [database, `${database}-wal`, join(dir, MEMORY_FILE)],
  );
  return [fileStamp(files), ...targets.map((target) => nextSweepMs(target, nowMs))].join(' ');
}

/** Reads the dreams of all workspaces. */
export function dreamsOf(targets: readonly DreamTarget[], nowMs: number): readonly DreamsSummary[] {
  return targets.map((target) => ({
    agents: target.agents,
    enabled: target.settings.enabled,
    nextMs: nextSweepMs(target, nowMs),
    ...storedDreams(target),
  }));
}

/** What the files of a workspace show of its dreams. */
function storedDreams(target: DreamTarget): Pick<DreamsSummary, 'fault' | 'isFull' | 'last'> {
  const isFull = isMemoryFull(target);
  if (!existsSync(target.workspace.files.database)) {
    return { last: undefined, isFull, fault: undefined };
  }
  try {
    const newest = readDreams(target.workspace, ({ sweeps }) => sweeps.last());
    if (newest === undefined) return { last: undefined, isFull, fault: undefined };
    const { memory, written } = sweepOutput(newest);
    const { startedMs } = newest;
    const last = { startedMs, failed: hasFailed(newest), written, undone: memory === 'undone' };
    return { last, isFull, fault: undefined };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { last: undefined, isFull, fault: workFault(error) };
  }
}

/** Flows and tasks by status. */
export interface FlowsSummary extends FlowCounts {
  /** Runtimes whose tasks no worker can claim. */
  readonly paused: readonly PauseRecord[];
  /** Queued tasks that no worker takes. */
  readonly unclaimed: readonly UnclaimedTasks[];
  /** Why they cannot be read. */
  readonly fault: WorkFault | undefined;
}

const NO_FLOWS: FlowsSummary = {
  flows: {},
  tasks: {},
  paused: [],
  unclaimed: [],
  failedNotifications: 0,
  fault: undefined,
};

/** How often to count although nothing was committed: tasks that have waited for long are unclaimed. */
const COUNT_EVERY_MS = 60_000;

/** Counts flows whenever something was committed. The database is opened once, and never created. */
export function flowsReader(context: EngineContext, { resolved }: LoadedConfig) {
  let opened: Flows | undefined;
  let lastVersion: string | undefined;
  let countedMs = Number.NEGATIVE_INFINITY;
  return {
    /** @returns undefined when nothing was committed since the last count, which was not long ago */
    read: async (): Promise<FlowsSummary | undefined> => {
      try {
        opened ??= await openExistingFlows(context, resolved);
        const version = (await opened?.version()) ?? 'none';
        const nowMs = context.clock.now();
        if (version === lastVersion && isWithin(countedMs, nowMs, COUNT_EVERY_MS)) return undefined;
        lastVersion = version;
        countedMs = nowMs;
        if (opened === undefined) return NO_FLOWS;
        return {
          ...(await opened.operator.counts()),
          paused: await opened.tasks.paused(),
          unclaimed: await opened.operator.unclaimedTasks(),
          fault: undefined,
        };
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        if (lastVersion === error.message) return undefined;
        lastVersion = error.message;
        return { ...NO_FLOWS, fault: workFault(error) };
      }
    },
    close: async (): Promise<void> => {
      await opened?.close();
      opened = undefined;
    },
  };
}

/** The serving process and its webhooks; times in milliseconds since the epoch. */
export interface ListenerSummary {
  /** Undefined when none runs, or its state is unknown. */
  readonly process: ReturnType<typeof serveSummary> | undefined;
  /** Why its state is unknown. */
  readonly fault: WorkFault | undefined;
  /** How many routes are enabled. */
  readonly routes: number;
  /** Requests to all listeners of this state folder so far, and how many were rejected. */
  readonly requests: number;
  readonly rejected: number;
  readonly last: LastAnswer | null;
}

/** @param loaded undefined while the configuration cannot be read */
export function listenerSummary(
  serving: ServeState | undefined,
  loaded: LoadedConfig | undefined,
  stateDir: string,
): ListenerSummary {
  const activity = Object.values(readActivity(stateDir).routes);
  return {
    process: serving === undefined ? undefined : serveSummary(serving),
    fault: serving === undefined && isInstanceRunning(stateDir) ? UNKNOWN_SERVING : undefined,
    routes: loaded === undefined ? 0 : enabledRoutes(loaded),
    requests: sum(activity, ({ requests }) => requests),
    rejected: sum(activity, ({ rejected }) => rejected),
    last: activity.flatMap(({ last }) => last ?? []).toSorted((a, b) => b.atMs - a.atMs)[0] ?? null,
  };
}

const UNKNOWN_SERVING: WorkFault = {
  code: null,
  message: 'svc serve is running, but its state in serve.json cannot be read',
  hint: 'restart svc serve if svc was upgraded; otherwise check the free disk space of the state folder',
};

function serveSummary({ services }: ServeState) {
  return {
    /** Of webhooks, or else of health. */
    url: services.find(({ url }) => url !== null)?.url ?? null,
    services: services.length,
    failures: services.filter(({ failure }) => failure !== null),
  };
}

function enabledRoutes({ resolved }: LoadedConfig): number {
  const { enabled, config } = resolved.plugins.entries.webhooks;
  return enabled ? Object.values(config.routes).filter((route) => route.enabled).length : 0;
}

function sum(activity: readonly RouteActivity[], count: (route: RouteActivity) => number): number {
  return activity.reduce((total, route) => total + count(route), 0);
}

/** The server that hosts share, for one line. */
export interface StorageSummary {
  /** `host:port/database`; undefined if the URL cannot be read. */
  readonly server: string | undefined;
  /** Of PostgreSQL; undefined while it cannot be used. */
  readonly version: string | undefined;
  /** Why it cannot be used. */
  readonly fault: WorkFault | undefined;
}

interface WorkFault extends Pick<SvcError, 'hint' | 'message'> {
  readonly code: string | null;
}

function workFault({ code, message, hint }: SvcError): WorkFault {
  return { code, message, hint };
}

/** Asks the server of `storage.url`; null without one. */
export async function storageSummary(
  context: EngineContext,
  { resolved }: LoadedConfig,
): Promise<StorageSummary | null> {
  if (resolved.storage.url === undefined) return null;
  const { describeAddress, openServer, requireCurrent, serverState } = await import(
    '../postgres/index.js'
  );
  let server: string | undefined;
  try {
    const opened = await openServer(context, resolved);
    server = describeAddress(opened.address);
    await requireCurrent(opened);
    const { version } = await serverState(opened);
    return { server, version, fault: undefined };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { server, version: undefined, fault: workFault(error) };
  }
}

/** The shared store, webhooks, flows and dreams. */
export interface OtherWork {
  /** Null without `storage.url`. */
  readonly storage: StorageSummary | null;
  readonly listener: ListenerSummary;
  readonly flows: FlowsSummary;
  /** One per workspace. */
  readonly dreams: readonly DreamsSummary[];
}

/** Whose state an overview shows. */
export interface OverviewSource {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
}

/** @throws SvcError CONFIG_* */
export async function otherWork(
  { context, configFile }: OverviewSource,
  serving: ServeState | undefined,
): Promise<OtherWork> {
  const { clock, state } = context;
  const loaded = await loadConfig(context, { configFile });
  const flows = flowsReader(context, loaded);
  try {
    return {
      storage: await storageSummary(context, loaded),
      listener: listenerSummary(serving, loaded, state.stateDir),
      flows: (await flows.read()) ?? NO_FLOWS,
      dreams: dreamsOf(dreamTargets(loaded, context), clock.now()),
    };
  } finally {
    await flows.close();
  }
}
