import {
  type AgentId,
  type LoadedConfig,
  type ResolvedAgent,
  resolveAgent,
  resolveAgents,
} from '../config/index.js';
import type { EngineContext } from '../context.js';
import { forgetPlaces } from '../memory/forget/forget-places.js';
import { memorySourcesOf } from '../memory/sources/memory-sources.js';
import { realOrGiven } from '../real-path.js';
import { type DreamWorkspace, dreamWorkspace } from './dream-workspace.js';
import type { DreamReach } from './sweep/dream-sources.js';
import type { DreamSettings } from './sweep/phase-context.js';

/** One workspace with the agents that share it, and the settings that hold for its sweeps. */
export interface DreamTarget {
  readonly workspace: DreamWorkspace;
  readonly agents: readonly AgentId[];
  readonly reach: DreamReach;
  readonly settings: DreamSettings;
  /** Of day boundaries and the schedule; undefined means the host's. */
  readonly timeZone: string | undefined;
}

/**
 * The distinct workspaces of a configuration, in the order of their first agents.
 *
 * @param agentId only that agent's; all when absent
 * @throws SvcError AGENT_UNKNOWN
 */
export function dreamTargets(
  loaded: LoadedConfig,
  context: EngineContext,
  agentId?: string | undefined,
): DreamTarget[] {
  const agents =
    agentId === undefined
      ? resolveAgents(loaded, context)
      : [resolveAgent(loaded, agentId, context)];
  const byDir = new Map<string, ResolvedAgent[]>();
  for (const agent of agents) {
    // One that is not there yet keeps its name; the sweep says that it is missing.
    const dir = realOrGiven(agent.workspaceDir);
    byDir.set(dir, [...(byDir.get(dir) ?? []), agent]);
  }
  const settings = loaded.resolved.plugins.entries['memory-core'].config.dreaming;
  return [...byDir].map(([dir, sharing]) => ({
    workspace: dreamWorkspace(dir, context.state),
    agents: sharing.map(({ id }) => id),
    reach: reachOf(sharing, context),
    settings,
    timeZone: settings.timezone ?? sharing[0]?.userTimezone,
  }));
}

/** Conversations count where an agent's memory has them. */
function reachOf(agents: readonly ResolvedAgent[], context: EngineContext): DreamReach {
  return {
    transcripts: agents.flatMap(
      (agent) => memorySourcesOf(agent, 'agent', context).transcripts?.places ?? [],
    ),
    forget: agents.map(({ id }) => forgetPlaces(context.state, id)),
  };
}
