import { type ActivityHistory, activityFolder, readActivityHistory } from '../activity/index.js';
import { discoverConfig, type LoadedConfig, loadConfig } from '../config/index.js';
import { type DreamTarget, dreamTargets } from '../dreaming/dream-targets.js';
import { SvcError } from '../errors/index.js';
import { openAllMemories } from '../memory/index.js';
import { runningServeState } from '../serve/instance-lock.js';
import { logFileOf } from '../serve/log/read-log.js';
import { anySignal, sleepAtMost } from '../support/async.js';
import type { EngineContext } from '../support/context.js';
import { fileStamp } from '../support/files.js';
import { isWithin } from '../support/time.js';
import { type AgentOverview, agentsReader, hasNotes } from './agents-reader.js';
import { type OverallFault, overallFault } from './overall-status.js';
import {
  logTail,
  newestQueries,
  queryFiles,
  type RecentLogLine,
  type RecentQuery,
} from './recent-lines.js';
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
export class OverviewFollower {
  private readonly options: FollowOverviewOptions;
  private readonly clock: EngineContext['clock'];
  private opened: Opened | undefined;
  private readonly stamps = new Map<string, string>();
  /** When each part was last polled. */
  private readonly polledMs = new Map<PolledPart, number>();
  /** Ends the pause between two rounds. */
  private wake = new AbortController();

  constructor(options: FollowOverviewOptions) {
    this.options = options;
    this.clock = options.context.clock;
  }

  /** Resolves after the signal was aborted. @throws bugs */
  async run(): Promise<void> {
    const { signal, restMs = REST_MS } = this.options;
    try {
      while (!signal.aborted) {
        await this.readAll();
        const rest = anySignal([signal, this.wake.signal]);
        await sleepAtMost(restMs, rest);
      }
    } finally {
      await this.close();
    }
  }

  refresh(): void {
    this.stamps.clear();
    this.opened?.agents.makeAllDue();
    this.polledMs.clear();
    this.wake.abort();
    this.wake = new AbortController();
  }

  /** Fast parts come first. */
  private async readAll(): Promise<void> {
    const { onUpdate, signal } = this.options;
    await this.readConfig();
    this.readListener();
    this.readActivity();
    const { opened } = this;
    if (opened !== undefined) {
      await this.readStorage(opened.loaded);
      const flows = await opened.flows.read();
      if (flows !== undefined) onUpdate({ flows });
      const nowMs = this.clock.now();
      if (this.isNew('dreams', dreamsStamp(opened.dreamTargets, nowMs))) {
        onUpdate({ dreams: dreamsOf(opened.dreamTargets, nowMs) });
      }
      this.readRecent(opened);
      await opened.agents.readDue(() => onUpdate({ agents: opened.agents.overviews() }));
    }
    if (!signal.aborted && this.isDue('doctor'))
      onUpdate({ findings: await this.backgroundFindings() });
  }

  private async readConfig(): Promise<void> {
    const { context, configFile, onUpdate } = this.options;
    const { file } = discoverConfig(context, configFile);
    if (!this.isNew('config', file === undefined ? 'none' : `${file} ${fileStamp([file])}`)) return;
    await this.close();
    for (const part of ['dreams', 'listener', 'log', 'queries']) this.stamps.delete(part);
    this.polledMs.delete('storage');
    this.polledMs.delete('doctor');
    try {
      const loaded = await loadConfig(context, { configFile });
      const memories = await openAllMemories(context, { configFile });
      const agents = agentsReader(memories, this.clock);
      const flows = flowsReader(context, loaded);
      const targets = dreamTargets(loaded, context);
      const logFile = logFileOf({ loaded, context });
      this.opened = { loaded, agents, flows, dreamTargets: targets, logFile };
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
  }

  private readListener(): void {
    const { context, onUpdate } = this.options;
    const { stateDir } = context.state;
    const files = ['serve.json', 'webhooks.json'].map((name) => `${stateDir}/${name}`);
    if (this.isNew('listener', fileStamp(files))) this.polledMs.delete('listener');
    if (!this.isDue('listener')) return;
    const listener = listenerSummary(runningServeState(stateDir), this.opened?.loaded, stateDir);
    if (this.isNew('listener state', JSON.stringify(listener))) onUpdate({ listener });
  }

  private readActivity(): void {
    const { context, onUpdate } = this.options;
    const { opened } = this;
    if (opened === undefined || !this.isDue('activity')) return;
    const isOn = opened.loaded.resolved.logging.activity;
    const folder = activityFolder(context.state);
    const activity = isOn ? readActivityHistory(folder, this.clock.now()) : null;
    if (this.isNew('activity state', JSON.stringify(activity))) onUpdate({ activity });
  }

  private async readStorage(loaded: LoadedConfig): Promise<void> {
    const { context, onUpdate } = this.options;
    if (!this.isDue('storage')) return;
    const storage = await storageSummary(context, loaded);
    if (this.isNew('storage state', JSON.stringify(storage))) onUpdate({ storage });
  }

  private readRecent({ logFile, agents }: Opened): void {
    const { context, onUpdate } = this.options;
    const names = agents.overviews().map(({ name }) => name);
    if (this.isNew('log', fileStamp([logFile]))) onUpdate({ log: logTail(logFile) });
    if (this.isNew('queries', fileStamp(queryFiles(names, context.state)))) {
      onUpdate({ queries: newestQueries(names, context.state) });
    }
  }

  /** A failure of the doctor is reported as a finding. */
  private async backgroundFindings(): Promise<readonly BackgroundFinding[]> {
    const { runBackgroundChecks, signal } = this.options;
    try {
      return await runBackgroundChecks(signal);
    } catch (error) {
      if (signal.aborted) return [];
      if (!(error instanceof SvcError)) throw error;
      const { message, hint } = error;
      return [{ severity: 'fault', message, hint }];
    }
  }

  /** Whether a part is due to be polled; if so, its next interval starts now. */
  private isDue(part: PolledPart): boolean {
    const nowMs = this.clock.now();
    const polledMs = this.polledMs.get(part) ?? Number.NEGATIVE_INFINITY;
    if (isWithin(polledMs, nowMs, POLL_EVERY_MS[part])) return false;
    this.polledMs.set(part, nowMs);
    return true;
  }

  /** Whether a stamp changed since the last call. */
  private isNew(part: string, stamp: string): boolean {
    if (this.stamps.get(part) === stamp) return false;
    this.stamps.set(part, stamp);
    return true;
  }

  private async close(): Promise<void> {
    const { opened } = this;
    this.opened = undefined;
    await opened?.agents.close();
    await opened?.flows.close();
  }
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
  readonly log: readonly RecentLogLine[];
  /** Logged searches, the newest first. */
  readonly queries: readonly RecentQuery[];
}
