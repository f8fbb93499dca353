import { type ActivityHistory, activityFolder, readActivityHistory } from '../activity/index.js';
import { discoverConfig, type LoadedConfig, loadConfig } from '../config/index.js';
import { type DreamTarget, dreamTargets } from '../dreaming/dream-targets.js';
import { SvcError } from '../errors/index.js';
import { openAllMemories } from '../memory/index.js';
import { runningServeState } from '../serve/instance-lock.js';
import { logFileOf } from '../serve/log/read-log.js';
import { anySignal, sleepAtMost } from '../support/async.js';
import { fileStamp } from '../support/files.js';
import { isWithin } from '../support/time.js';
import { type AgentOverview, agentsReader, hasNotes } from './agents-reader.js';
import { type OverallFault, overallFault } from './overall-status.js';
import { logTail, newestQueries, queryFiles, type RecentQuery } from './recent-lines.js';
import {
  dreamsOf,
  dreamsStamp,
  flowsReader,
  listenerSummary,
  type OtherWork,
  type OverviewSource,
  storageSummary,
} from './work.js';

export interface FollowOverviewOptions extends OverviewSource {
  /** Called with each part that is known or changed. */
  readonly onUpdate: (update: Partial<Overview>) => void;
  /** Runs the background checks of the doctor; passed in, because the doctor imports nearly every other folder. */
  readonly runBackgroundChecks: (signal: AbortSignal) => Promise<readonly BackgroundFinding[]>;
  /** Pause between two rounds, in milliseconds. */
  readonly restMs?: number | undefined;
  readonly signal: AbortSignal;
}

/** How often file times are checked. */
const REST_MS = 1500;
/** How often to poll what file times do not show, such as whether a process was killed. */
const POLL_EVERY_MS = {
  listener: 10_000,
  storage: 10_000,
  activity: 5000,
  doctor: 5 * 60_000,
} as const;

type PolledPart = keyof typeof POLL_EVERY_MS;

interface Opened {
  readonly loaded: LoadedConfig;
  readonly agents: ReturnType<typeof agentsReader>;
  readonly flows: ReturnType<typeof flowsReader>;
  readonly dreamTargets: readonly DreamTarget[];
  readonly logFile: string;
}

/**
 * Reports the state of everything until it is stopped, without calling providers. Only parts whose files
 * changed are read again.
 */
export function overviewFollower({
  context,
  configFile,
  onUpdate,
  runBackgroundChecks,
  restMs = REST_MS,
  signal,
}: FollowOverviewOptions) {
  const { clock, state } = context;
  const stamps = new Map<string, string>();
  /** When each part was last polled. */
  const polledMs = new Map<PolledPart, number>();
  let opened: Opened | undefined;
  /** Ends the pause between two rounds. */
  let wake = new AbortController();
  /** Whether a part is due to be polled; if so, its next interval starts now. */
  const isDue = (part: PolledPart): boolean => {
    const nowMs = clock.now();
    const lastMs = polledMs.get(part) ?? Number.NEGATIVE_INFINITY;
    if (isWithin(lastMs, nowMs, POLL_EVERY_MS[part])) return false;
    polledMs.set(part, nowMs);
    return true;
  };
  /** Whether a stamp changed since the last call. */
  const isNew = (part: string, stamp: string): boolean => {
    if (stamps.get(part) === stamp) return false;
    stamps.set(part, stamp);
    return true;
  };
  const close = async (): Promise<void> => {
    const closed = opened;
    opened = undefined;
    await closed?.agents.close();
    await closed?.flows.close();
  };
  const readConfig = async (): Promise<void> => {
    const { file } = discoverConfig(context, configFile);
    // Trusting a file puts its risky keys into effect.
    const trusted = `${state.stateDir}/trusted-configs`;
    if (!isNew('config', file === undefined ? 'none' : `${file} ${fileStamp([file, trusted])}`)) {
      return;
    }
    await close();
    for (const part of ['dreams', 'listener', 'log', 'queries']) stamps.delete(part);
    polledMs.delete('storage');
    polledMs.delete('doctor');
    try {
      const loaded = await loadConfig(context, { configFile });
      const memories = await openAllMemories(context, { configFile });
      const agents = agentsReader(memories, clock);
      opened = {
        loaded,
        agents,
        flows: flowsReader(context, loaded),
        dreamTargets: dreamTargets(loaded, context),
        logFile: logFileOf({ loaded, context }),
      };
      const config: ConfigOverview =
        loaded.file === undefined
          ? { state: 'none', hasNotes: hasNotes(memories) }
          : { state: 'read', file: loaded.file };
      onUpdate({ config, agents: agents.overviews() });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const fault = overallFault('configuration', error);
      onUpdate({ config: { state: 'faulty', fault }, agents: [], dreams: [] });
    }
  };
  const readListener = (): void => {
    const { stateDir } = state;
    const files = ['serve.json', 'webhooks.json'].map((name) => `${stateDir}/${name}`);
    if (isNew('listener', fileStamp(files))) polledMs.delete('listener');
    if (!isDue('listener')) return;
    const listener = listenerSummary(runningServeState(stateDir), opened?.loaded, stateDir);
    if (isNew('listener state', JSON.stringify(listener))) onUpdate({ listener });
  };
  const readActivity = ({ resolved }: LoadedConfig): void => {
    if (!isDue('activity')) return;
    const activity = resolved.logging.activity
      ? readActivityHistory(activityFolder(state), clock.now())
      : null;
    if (isNew('activity state', JSON.stringify(activity))) onUpdate({ activity });
  };
  const readStorage = async (loaded: LoadedConfig): Promise<void> => {
    if (!isDue('storage')) return;
    const storage = await storageSummary(context, loaded);
    if (isNew('storage state', JSON.stringify(storage))) onUpdate({ storage });
  };
  const readDreams = (targets: readonly DreamTarget[]): void => {
    const nowMs = clock.now();
    if (isNew('dreams', dreamsStamp(targets, nowMs)))
      onUpdate({ dreams: dreamsOf(targets, nowMs) });
  };
  const readRecent = ({ logFile, agents }: Opened): void => {
    const names = agents.overviews().map(({ name }) => name);
    if (isNew('log', fileStamp([logFile]))) onUpdate({ log: logTail(logFile) });
    if (isNew('queries', fileStamp(queryFiles(names, state)))) {
      onUpdate({ queries: newestQueries(names, state) });
    }
  };
  /** A failure of the doctor is reported as a finding. */
  const backgroundFindings = async (): Promise<readonly BackgroundFinding[]> => {
    try {
      return await runBackgroundChecks(signal);
    } catch (error) {
      if (signal.aborted) return [];
      if (!(error instanceof SvcError)) throw error;
      const { message, hint } = error;
      return [{ severity: 'fault', message, hint }];
    }
  };
  /** Fast parts come first. */
  const readAll = async (): Promise<void> => {
    await readConfig();
    readListener();
    if (opened !== undefined) {
      const { agents, dreamTargets: targets, flows: flowsNow, loaded } = opened;
      readActivity(loaded);
      await readStorage(loaded);
      const flows = await flowsNow.read();
      if (flows !== undefined) onUpdate({ flows });
      readDreams(targets);
      readRecent(opened);
      await agents.readDue(() => onUpdate({ agents: agents.overviews() }));
    }
    if (!signal.aborted && isDue('doctor')) onUpdate({ findings: await backgroundFindings() });
  };
  return {
    /** Resolves after the signal was aborted. @throws bugs */
    run: async (): Promise<void> => {
      try {
        while (!signal.aborted) {
          await readAll();
          await sleepAtMost(restMs, anySignal([signal, wake.signal]));
        }
      } finally {
        await close();
      }
    },
    refresh: (): void => {
      stamps.clear();
      opened?.agents.makeAllDue();
      polledMs.clear();
      wake.abort();
      wake = new AbortController();
    },
  };
}

type ConfigOverview =
  /** There is none, so the defaults are in effect. */
  | { readonly state: 'none'; readonly hasNotes: boolean }
  | { readonly state: 'read'; readonly file: string }
  | { readonly state: 'faulty'; readonly fault: OverallFault };

/** A finding of a quick check of the doctor. */
export interface BackgroundFinding {
  readonly severity: 'fault' | 'warning';
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Everything at a glance; each part is reported as soon as it is known and again after a change. */
export interface Overview extends OtherWork {
  readonly config: ConfigOverview;
  /** In the order of the configuration. */
  readonly agents: readonly AgentOverview[];
  /** Null if `logging.activity` is off. */
  readonly activity: ActivityHistory | null;
  readonly findings: readonly BackgroundFinding[];
  /** The newest lines of the log of `svc serve`, oldest first. */
  readonly log: ReturnType<typeof logTail>;
  /** Logged searches, the newest first. */
  readonly queries: readonly RecentQuery[];
}
