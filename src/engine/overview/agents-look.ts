import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../context.js';
import type { OpenedMemory } from '../memory/open-memory.js';
import { type AgentNews, agentNews } from './agent-glance.js';
import { fileStamp } from './file-stamp.js';
import { lookAtAgent } from './overall-status.js';

/** Files of an agent may have changed without anybody telling. */
const REST_MS = 15_000;
/** A look at a large memory takes long: it may take this share of the time at most. */
const MOST_SHARE = 1 / 40;
/** The same after its index was written, when there is something new to see. */
const MOST_SHARE_ON_CHANGE = 1 / 5;

/** When an agent was looked at last, and how it was. */
interface Looked {
  readonly memory: OpenedMemory;
  news: AgentNews;
  stamp: string;
  /** Undefined before the first look; milliseconds since the epoch. */
  endedMs: number | undefined;
  tookMs: number;
}

/** Looks at the memories of all agents again and again, no oftener than is worth it. */
export class AgentsLook {
  private readonly agents: readonly Looked[];
  private readonly clock: Clock;

  constructor(memories: readonly OpenedMemory[], clock: Clock) {
    this.clock = clock;
    this.agents = memories.map((memory) => ({
      memory,
      news: { name: memory.name, glance: undefined, faults: [] },
      stamp: '',
      endedMs: undefined,
      tookMs: 0,
    }));
  }

  news(): readonly AgentNews[] {
    return this.agents.map(({ news }) => news);
  }

  /** Looks at every agent whose turn it is. @param told called after each that was looked at */
  async look(told: () => void): Promise<void> {
    for (const agent of this.agents) {
      if (!this.isDue(agent)) continue;
      await this.lookAt(agent);
      told();
    }
  }

  /** All of them are due. */
  again(): void {
    for (const agent of this.agents) agent.endedMs = undefined;
  }

  async close(): Promise<void> {
    for (const { memory } of this.agents) await memory.backend.close();
  }

  private isDue({ endedMs, tookMs, stamp, memory }: Looked): boolean {
    if (endedMs === undefined) return true;
    const restedMs = this.clock.now() - endedMs;
    if (restedMs >= Math.max(REST_MS, tookMs / MOST_SHARE)) return true;
    return restedMs >= tookMs / MOST_SHARE_ON_CHANGE && stamp !== stampOf(memory);
  }

  private async lookAt(agent: Looked): Promise<void> {
    const startedMs = this.clock.now();
    const stamp = stampOf(agent.memory);
    agent.news = agentNews(agent.memory.name, await lookAtAgent(agent.memory));
    agent.stamp = stamp;
    agent.endedMs = this.clock.now();
    agent.tookMs = Math.max(0, agent.endedMs - startedMs);
  }
}

/** Changes when the index was written, when somebody begins or ends to watch it, or a note comes or goes. */
function stampOf({ agent }: OpenedMemory): string {
  const { path } = agent.memorySearch.store;
  const notes = [agent.workspaceDir, join(agent.workspaceDir, 'memory')];
  return fileStamp([path, `${path}-wal`, `${path}.watch.json`, ...notes]);
}

/** Whether an agent without settings has anything to remember yet. */
export function hasNotes(memories: readonly OpenedMemory[]): boolean {
  return memories.some(({ agent }) => {
    try {
      return readdirSync(agent.workspaceDir).length > 0;
    } catch {
      return false;
    }
  });
}
