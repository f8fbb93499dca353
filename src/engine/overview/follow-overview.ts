import { setTimeout as sleep } from 'node:timers/promises';
import { discoverConfig, type LoadedConfig, loadConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { dreamTargets } from '../dreaming/dream-targets.js';
import { SvcError } from '../errors/index.js';
import { openAllMemories } from '../memory/open-memory.js';
import { AgentsLook, hasNotes } from './agents-look.js';
import { DreamsLook } from './dreams-glance.js';
import { fileStamp } from './file-stamp.js';
import { FlowsLook } from './flows-glance.js';
import { listenerGlance } from './listener-glance.js';
import { overallFault } from './overall-status.js';
import type { ConfigNews, OverviewNews, QuietFinding } from './overview-news.js';
import { readServing } from './serving.js';

/** What following everything is told, and tells. */
export interface FollowOverviewOptions {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  /** Takes each part that is known, or changed. */
  readonly tell: (news: Partial<OverviewNews>) => void;
  /** Looks for what is wrong besides; the doctor, who knows all rooms, is handed in. */
  readonly checkUp: (signal: AbortSignal) => Promise<readonly QuietFinding[]>;
  /** How long to rest between two looks, in milliseconds. */
  readonly restMs?: number | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** What can be seen by the times of files is looked at this often. */
const REST_MS = 1500;
/** A process that was killed leaves its files as they were. */
const ASK_SERVING_MS = 10_000;
const CHECK_UP_MS = 5 * 60_000;

/** Everything that one state of the configuration opens. */
interface Opened {
  readonly loaded: LoadedConfig;
  readonly agents: AgentsLook;
  readonly flows: FlowsLook;
  readonly dreams: DreamsLook;
}

/**
 * Tells how everything is, until it is ended, and asks nobody for it. What did not change is not opened
 * again: times of files say what did.
 */
export class OverviewFollower {
  private readonly options: FollowOverviewOptions;
  private readonly clock: EngineContext['clock'];
  private opened: Opened | undefined;
  private readonly seen = new Map<string, string>();
  private askedServingMs = Number.NEGATIVE_INFINITY;
  private checkedUpMs = Number.NEGATIVE_INFINITY;
  private nudge = new AbortController();

  constructor(options: FollowOverviewOptions) {
    this.options = options;
    this.clock = options.context.clock;
  }

  /** Resolves when the signal has ended it. @throws what is not foreseen */
  async run(): Promise<void> {
    const { signal, restMs = REST_MS } = this.options;
    try {
      while (!signal.aborted) {
        await this.look();
        const rest = AbortSignal.any([signal, this.nudge.signal]);
        await sleep(restMs, undefined, { signal: rest }).catch(() => undefined);
      }
    } finally {
      await this.close();
    }
  }

  /** Looks at everything anew, now. */
  again(): void {
    this.seen.clear();
    this.opened?.agents.again();
    this.askedServingMs = Number.NEGATIVE_INFINITY;
    this.checkedUpMs = Number.NEGATIVE_INFINITY;
    this.nudge.abort();
    this.nudge = new AbortController();
  }

  /** What is quickly known is told first. */
  private async look(): Promise<void> {
    const { tell, signal } = this.options;
    await this.lookAtConfig();
    this.lookAtListener();
    const { opened } = this;
    if (opened !== undefined) {
      const flows = opened.flows.look();
      if (flows !== undefined) tell({ flows });
      const dreams = opened.dreams.look(this.clock.now());
      if (dreams !== undefined) tell({ dreams });
      await opened.agents.look(() => tell({ agents: opened.agents.news() }));
    }
    if (signal.aborted || this.clock.now() - this.checkedUpMs < CHECK_UP_MS) return;
    this.checkedUpMs = this.clock.now();
    tell({ findings: await this.checkUp() });
  }

  private async lookAtConfig(): Promise<void> {
    const { context, configFile, tell } = this.options;
    const { file } = discoverConfig(context, configFile);
    if (!this.isNew('config', file === undefined ? 'none' : `${file} ${fileStamp([file])}`)) return;
    await this.close();
    this.seen.delete('listener');
    this.checkedUpMs = Number.NEGATIVE_INFINITY;
    try {
      const loaded = await loadConfig(context, { configFile });
      const memories = await openAllMemories(context, { configFile });
      const agents = new AgentsLook(memories, this.clock);
      const flows = new FlowsLook(context, loaded);
      const dreams = new DreamsLook(dreamTargets(loaded, context));
      this.opened = { loaded, agents, flows, dreams };
      const config: ConfigNews =
        loaded.file === undefined
          ? { state: 'none', hasNotes: hasNotes(memories) }
          : { state: 'read', file: loaded.file };
      tell({ config, agents: agents.news() });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const fault = overallFault('configuration', error);
      tell({ config: { state: 'faulty', fault }, agents: [], dreams: [] });
    }
  }

  private lookAtListener(): void {
    const { context, tell } = this.options;
    const { stateDir } = context.state;
    const files = ['serve.json', 'webhooks.json'].map((name) => `${stateDir}/${name}`);
    const nowMs = this.clock.now();
    const isDue = nowMs - this.askedServingMs >= ASK_SERVING_MS;
    if (!this.isNew('listener', fileStamp(files)) && !isDue) return;
    this.askedServingMs = nowMs;
    const listener = listenerGlance(readServing(stateDir), this.opened?.loaded, stateDir);
    if (this.isNew('listener told', JSON.stringify(listener))) tell({ listener });
  }

  /** A failure of the doctor is one of what is wrong. */
  private async checkUp(): Promise<readonly QuietFinding[]> {
    const { checkUp, signal } = this.options;
    try {
      return await checkUp(signal);
    } catch (error) {
      if (signal.aborted) return [];
      if (!(error instanceof SvcError)) throw error;
      const { message, hint } = error;
      return [{ severity: 'fault', message, hint }];
    }
  }

  /** Whether something is not as it was when this was asked last. */
  private isNew(what: string, stamp: string): boolean {
    if (this.seen.get(what) === stamp) return false;
    this.seen.set(what, stamp);
    return true;
  }

  private async close(): Promise<void> {
    const { opened } = this;
    this.opened = undefined;
    await opened?.agents.close();
    await opened?.flows.close();
  }
}
