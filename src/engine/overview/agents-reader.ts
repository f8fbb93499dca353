import { join } from 'node:path';
import { type OpenedMemory, type StatusOutput, statusOutput } from '../memory/index.js';
import type { Clock } from '../support/context.js';
import { fileStamp, namesIn } from '../support/files.js';
import { isWithin } from '../support/time.js';
import { type OverallFault, readAgent } from './overall-status.js';

/** Pause before an agent is read again although its stamp is the same: not every change of its files shows there. */
const REST_MS = 15_000;
/** Reading a large memory takes long, so it takes up at most this share of the time. */
const MOST_SHARE = 1 / 40;
/** The same after the stamp of the agent has changed. */
const MOST_SHARE_ON_CHANGE = 1 / 5;

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
export function agentsReader(memories: readonly OpenedMemory[], clock: Clock) {
  const agents = memories.map(
    (memory): LastReading => ({
      memory,
      overview: { name: memory.name, status: undefined, faults: [] },
      stamp: '',
      endedMs: undefined,
      tookMs: 0,
    }),
  );
  const isDue = ({ endedMs, tookMs, stamp, memory }: LastReading): boolean => {
    if (endedMs === undefined) return true;
    const nowMs = clock.now();
    if (!isWithin(endedMs, nowMs, Math.max(REST_MS, tookMs / MOST_SHARE))) return true;
    return !isWithin(endedMs, nowMs, tookMs / MOST_SHARE_ON_CHANGE) && stamp !== stampOf(memory);
  };
  return {
    overviews: (): readonly AgentOverview[] => agents.map(({ overview }) => overview),
    /** Reads every agent that is due. @param onUpdate called after each */
    readDue: async (onUpdate: () => void): Promise<void> => {
      for (const agent of agents) {
        if (!isDue(agent)) continue;
        const { memory } = agent;
        const startedMs = clock.now();
        const stamp = stampOf(memory);
        const { agent: known, faults } = await readAgent(memory);
        const status = known && statusOutput(memory, known.status, known.embedding);
        agent.overview = { name: memory.name, status, faults };
        agent.stamp = stamp;
        agent.endedMs = clock.now();
        agent.tookMs = Math.max(0, agent.endedMs - startedMs);
        onUpdate();
      }
    },
    /** So that the next round reads all agents. */
    makeAllDue: (): void => {
      for (const agent of agents) agent.endedMs = undefined;
    },
    close: async (): Promise<void> => {
      for (const { memory } of agents) await memory.backend.close();
    },
  };
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

export interface AgentOverview {
  readonly name: string;
  /** Undefined before the first reading, and where it failed. */
  readonly status: StatusOutput | undefined;
  readonly faults: readonly OverallFault[];
}
