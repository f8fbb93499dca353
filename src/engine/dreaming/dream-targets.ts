import {
  type AgentId,
  type LoadedConfig,
  type ResolvedAgent,
  resolveAgent,
  resolveAgents,
} from '../config/index.js';
import { forgetPlaces } from '../memory/forgotten/index.js';
import { sharedPlace } from '../memory/home/index.js';
import { type ExcludeSettings, excludeSettings, memorySourcesOf } from '../memory/sources/index.js';
import type { EngineContext } from '../support/context.js';
import { groupBy } from '../support/lists.js';
import { realOrGiven } from '../support/paths.js';
import { carryOverDreams } from './carry-over.js';
import { type DreamWorkspace, dreamWorkspace } from './dream-workspace.js';
import type { AgentSources, DreamSettings } from './sweep/dream-sources.js';

/** A workspace with the agents that share it and the settings of its sweeps. */
export interface DreamTarget {
  readonly workspace: DreamWorkspace;
  readonly agents: readonly AgentId[];
  readonly agentSources: AgentSources;
  readonly settings: DreamSettings;
  /** For day boundaries and the schedule; undefined means the host's. */
  readonly timeZone: string | undefined;
}

/**
 * The distinct workspaces of a configuration, in the order of their first agents.
 *
 * @param agentId only the one of this agent, which others may share; default: all
 * @throws SvcError AGENT_UNKNOWN
 */
export function dreamTargets(
  loaded: LoadedConfig,
  context: EngineContext,
  agentId?: string | undefined,
): DreamTarget[] {
  const all = resolveAgents(loaded, context);
  const wanted = agentId === undefined ? undefined : resolveAgent(loaded, agentId, context).id;
  // A missing folder keeps its configured path; the sweep reports it.
  const byDir = [...groupBy(all, ({ workspaceDir }) => realOrGiven(workspaceDir))].filter(
    ([, sharing]) => wanted === undefined || sharing.some(({ id }) => id === wanted),
  );
  const { dreaming } = loaded.resolved.plugins.entries['memory-core'].config;
  return byDir.map(([dir, sharing]) => ({
    workspace: workspaceWithCarryOver(dir, sharing, context.state),
    agents: sharing.map(({ id }) => id),
    agentSources: agentSourcesOf(sharing, context, loaded),
    settings: { ...dreaming, phases: phasesOf(dreaming) },
    timeZone: sharing[0].dreamTimezone,
  }));
}

/** A limit of 0 turns a phase off. */
function phasesOf({ phases: { light, rem, deep } }: DreamSettings): DreamSettings['phases'] {
  return {
    light: { ...light, enabled: light.enabled && light.limit > 0 },
    rem: { ...rem, enabled: rem.enabled && rem.limit > 0 },
    deep: { ...deep, enabled: deep.enabled && deep.limit > 0 },
  };
}

/** The workspace of agents, with its state moved along if needed; see carryOverDreams. @param dir absolute real path */
function workspaceWithCarryOver(
  dir: string,
  agents: readonly ResolvedAgent[],
  state: EngineContext['state'],
): DreamWorkspace {
  const workspace = dreamWorkspace(dir, state);
  carryOverDreams(
    workspace,
    agents.map(({ id }) => id),
    state,
  );
  return workspace;
}

/** The workspace of an opened memory. What is recorded of a folder without an agent is not moved along with it. */
export function workspaceOfMemory(
  { agent, agentId }: { readonly agent: ResolvedAgent; readonly agentId: string | null },
  state: EngineContext['state'],
): DreamWorkspace {
  const place = realOrGiven(agent.workspaceDir);
  return agentId === null
    ? dreamWorkspace(place, state)
    : workspaceWithCarryOver(place, [agent], state);
}

function agentSourcesOf(
  agents: readonly ResolvedAgent[],
  context: EngineContext,
  loaded: LoadedConfig,
): AgentSources {
  const places = agents.flatMap(({ id }) => sharedPlace(id, loaded, context) ?? []);
  return {
    transcripts: agents.flatMap(
      (agent) => memorySourcesOf(agent, 'agent', context).transcripts?.places ?? [],
    ),
    // What one agent leaves out is promoted for none of those that share the workspace.
    exclude: mergedExclude(agents),
    forget: agents.map(({ id }) => forgetPlaces(context.state, id)),
    ...(places.length === 0 ? {} : { shared: { places, context } }),
  };
}

function mergedExclude(agents: readonly ResolvedAgent[]): ExcludeSettings {
  const settings = agents.map(excludeSettings);
  return {
    patterns: settings.flatMap(({ patterns }) => patterns),
    respectGitignore: settings.some(({ respectGitignore }) => respectGitignore === true),
  };
}
