import { join } from 'node:path';
import type { IndexState, Staleness } from '../memory/backends/memory-backend.js';
import type { OpenedMemory } from '../memory/index.js';
import type { Clock } from '../support/context.js';
import { namesIn } from '../support/files.js';
import { type AgentReading, type OverallFault, readAgent } from './overall-status.js';
import { fileStamp } from './work.js';

/** Pause before an agent is read again although its stamp is the same: not every change of its files shows there. */
const REST_MS = 15_000;
/** Reading a large memory takes long, so it takes up at most this share of the time. */
const MOST_SHARE = 1 / 40;
/** The same after the stamp of the agent has changed. */
const MOST_SHARE_ON_CHANGE = 1 / 5;

/** The last reading of an agent. */
interface LastReading {
  readonly memory: OpenedMemory;
  overview: AgentOverview;
  /** See {@link stampOf}. */
  stamp: string;
  /** Milliseconds since the epoch; undefined before the first reading. */
  endedMs: number | undefined;
  tookMs: number;
}

/** Reads the state of all agents repeatedly, but not more often than is useful. */
export class AgentsReader {
  private readonly agents: readonly LastReading[];
  private readonly clock: Clock;

  constructor(memories: readonly OpenedMemory[], clock: Clock) {
    this.clock = clock;
    this.agents = memories.map((memory) => ({
      memory,
      overview: { name: memory.name, summary: undefined, faults: [] },
      stamp: '',
      endedMs: undefined,
      tookMs: 0,
    }));
  }

  overviews(): readonly AgentOverview[] {
    return this.agents.map(({ overview }) => overview);
  }

  /** Reads every agent that is due. @param onUpdate called after each */
  async readDue(onUpdate: () => void): Promise<void> {
    for (const agent of this.agents) {
      if (!this.isDue(agent)) continue;
      await this.read(agent);
      onUpdate();
    }
  }

  /** So that the next round reads all agents. */
  makeAllDue(): void {
    for (const agent of this.agents) agent.endedMs = undefined;
  }

  async close(): Promise<void> {
    for (const { memory } of this.agents) await memory.backend.close();
  }

  private isDue({ endedMs, tookMs, stamp, memory }: LastReading): boolean {
    if (endedMs === undefined) return true;
    const restedMs = this.clock.now() - endedMs;
    if (restedMs >= Math.max(REST_MS, tookMs / MOST_SHARE)) return true;
    return restedMs >= tookMs / MOST_SHARE_ON_CHANGE && stamp !== stampOf(memory);
  }

  private async read(agent: LastReading): Promise<void> {
    const startedMs = this.clock.now();
    const stamp = stampOf(agent.memory);
    agent.overview = agentOverview(agent.memory.name, await readAgent(agent.memory));
    agent.stamp = stamp;
    agent.endedMs = this.clock.now();
    agent.tookMs = Math.max(0, agent.endedMs - startedMs);
  }
}

/** Changes when the index is written, a watcher starts or stops, or a note is added or removed. */
function stampOf({ agent }: OpenedMemory): string {
  const { path } = agent.memorySearch.store;
  const notes = [agent.workspaceDir, join(agent.workspaceDir, 'memory')];
  return fileStamp([path, `${path}-wal`, `${path}.watch.json`, ...notes]);
}

/** Whether the workspace of an agent has any files. */
export function hasNotes(memories: readonly OpenedMemory[]): boolean {
  return memories.some(({ agent }) => namesIn(agent.workspaceDir).length > 0);
}

/** One agent's memory, for one line; times in milliseconds since the epoch. */
export interface AgentSummary {
  /** Absolute path of its workspace. */
  readonly workspaceDir: string;
  /** The backend that answers. */
  readonly backend: string;
  /** `outdated`: the next sync rebuilds it. */
  readonly index: 'missing' | 'outdated' | 'ready' | 'unusable';
  readonly documents: number;
  readonly chunks: number;
  readonly lastSync: string | null;
  /** Changed files that are not in the index yet; null where that is unknown. */
  readonly stale: number | null;
  /** Some of them. */
  readonly staleExamples: readonly string[];
  /** Whether a process keeps the index fresh. */
  readonly watched: boolean;
  /** Null for keyword search only. */
  readonly provider: string | null;
  readonly model: string | null;
  /** How many passages have a vector, and how many there are. */
  readonly vectors: { readonly done: number; readonly all: number };
}

export interface AgentOverview {
  readonly name: string;
  /** Undefined before the first reading, and where it failed. */
  readonly summary: AgentSummary | undefined;
  readonly faults: readonly OverallFault[];
}

function agentOverview(name: string, { agent, faults }: AgentReading): AgentOverview {
  if (agent === undefined) return { name, summary: undefined, faults };
  const { status, embedding } = agent;
  const { index } = status;
  const statistics = index.state === 'ready' ? index.statistics : undefined;
  const summary: AgentSummary = {
    workspaceDir: status.workspaceDir,
    backend: status.backend,
    index: indexWord(index),
    documents: statistics?.documents ?? 0,
    chunks: statistics?.chunks ?? 0,
    lastSync: statistics?.lastSync ?? null,
    stale: staleFiles(status.staleness),
    staleExamples: status.staleness?.examples ?? [],
    watched: status.watcher !== null,
    provider: embedding.primary?.provider ?? null,
    model: embedding.primary?.model ?? null,
    vectors: { done: embedding.coverage.done, all: embedding.coverage.all },
  };
  return { name, summary, faults };
}

function indexWord(index: IndexState): AgentSummary['index'] {
  if (index.state !== 'ready') return index.state;
  return index.rebuildBecause === undefined ? 'ready' : 'outdated';
}

function staleFiles(staleness: Staleness | undefined): number | null {
  return staleness === undefined ? null : staleness.added + staleness.changed + staleness.removed;
}
