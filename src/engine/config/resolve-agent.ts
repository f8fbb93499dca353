import { dirname, join } from 'node:path';
import type { EngineContext } from '../context.js';
import { SvcError } from '../errors/index.js';
import { expandHome, resolvePath } from './expand-path.js';
import type { LoadedConfig } from './load.js';
import { defaultAgentId, listAgents } from './resolve-config.js';
import type { AgentSettings, ResolvedAgent, ResolvedMemorySearch } from './resolved.js';
import { suggestName } from './suggest.js';

/**
 * Everything that holds for one agent, paths made absolute: relative ones lie below the folder of
 * the configuration file, unset ones in the state folders. `extraPaths` stay as written but for a
 * leading `~`: they are absolute or relative to the workspace (spec/memory-search §2.6).
 *
 * @param agentId the agent; undefined means the default one
 * @throws SvcError AGENT_UNKNOWN
 */
export function resolveAgent(
  loaded: LoadedConfig,
  agentId: string | undefined,
  context: EngineContext,
): ResolvedAgent {
  const { agents, memory, sessions } = loaded.resolved;
  const wanted = agentId ?? defaultAgentId(loaded.resolved);
  const agent = agents.list.find((candidate) => candidate.id === wanted);
  if (agent === undefined) throw unknownAgent(wanted, loaded);
  const workspace = agent.workspace ?? agents.defaults.workspace;
  const { userTimezone } = agents.defaults;
  const workspaceDir =
    workspace === undefined
      ? join(context.state.stateDir, 'workspace')
      : resolveConfiguredPath(loaded, workspace, context);
  return {
    id: agent.id,
    workspaceDir,
    ...(userTimezone === undefined ? {} : { userTimezone }),
    memorySearch: placeMemorySearch(loaded, agent, context),
    backend: memory.backend,
    citations: memory.citations,
    sessionReaders: sessions.readers.map(({ id, path }) => {
      return path === undefined ? { id } : { id, path: placeReader(loaded, path, agent, context) };
    }),
    projectDirs: projectDirs(loaded, workspaceDir, context),
    scope: memory.ext.scope,
  };
}

/** Every agent of a configuration, in its order. @throws SvcError AGENT_UNKNOWN */
export function resolveAgents(
  loaded: LoadedConfig,
  context: EngineContext,
): readonly ResolvedAgent[] {
  return listAgents(loaded.resolved).map((agentId) => resolveAgent(loaded, agentId, context));
}

/** Those whose memory search is switched on. @throws SvcError AGENT_UNKNOWN */
export function searchedAgents(
  loaded: LoadedConfig,
  context: EngineContext,
): readonly ResolvedAgent[] {
  return resolveAgents(loaded, context).filter((agent) => agent.memorySearch.enabled);
}

function placeReader(
  loaded: LoadedConfig,
  path: string,
  agent: AgentSettings,
  context: EngineContext,
): string {
  return resolveConfiguredPath(loaded, path.replaceAll('{agentId}', agent.id), context);
}

/** The folder of the configuration is a project's, unless everything of the person lies below it. */
function projectDirs(
  { file }: LoadedConfig,
  workspaceDir: string,
  { homeDir }: EngineContext,
): readonly string[] {
  const dir = file === undefined ? undefined : dirname(file);
  const holdsAll = dir === undefined || dir === workspaceDir || `${homeDir}/`.startsWith(`${dir}/`);
  return holdsAll || dirname(dir) === dir ? [workspaceDir] : [workspaceDir, dir];
}

/** The absolute path meant by one of the configuration: `~` expanded, relative to its file. */
function resolveConfiguredPath(
  loaded: Pick<LoadedConfig, 'file'>,
  path: string,
  context: EngineContext,
): string {
  const baseDir = loaded.file === undefined ? context.cwd : dirname(loaded.file);
  return resolvePath(path, baseDir, context.homeDir);
}

function placeMemorySearch(
  loaded: LoadedConfig,
  agent: AgentSettings,
  context: EngineContext,
): ResolvedMemorySearch {
  const { memorySearch } = agent;
  const { stateDir, cacheDir } = context.state;
  const { modelPath, modelCacheDir } = memorySearch.local;
  const indexPath = memorySearch.store.path;
  const place = (path: string): string => resolveConfiguredPath(loaded, path, context);
  return {
    ...memorySearch,
    extraPaths: memorySearch.extraPaths.map((path) => expandHome(path, context.homeDir)),
    store: {
      ...memorySearch.store,
      path:
        indexPath === undefined
          ? join(cacheDir, 'memory', `${agent.id}.sqlite`)
          : place(indexPath.replaceAll('{agentId}', agent.id)),
    },
    local: {
      ...memorySearch.local,
      ...(modelPath === undefined || isModelAddress(modelPath)
        ? {}
        : { modelPath: place(modelPath) }),
      modelCacheDir: modelCacheDir === undefined ? join(stateDir, 'models') : place(modelCacheDir),
    },
  };
}

/** A model that is fetched, not a file: `hf:` or http(s) (spec/memory-search §2.1). */
function isModelAddress(path: string): boolean {
  return /^(?:hf:|https?:\/\/)/u.test(path);
}

function unknownAgent(wanted: string, loaded: LoadedConfig): SvcError {
  const known = listAgents(loaded.resolved);
  const suggestion = suggestName(wanted, known);
  const hint =
    suggestion === undefined ? `use one of: ${known.join(', ')}` : `did you mean "${suggestion}"?`;
  return new SvcError('AGENT_UNKNOWN', `there is no agent ${JSON.stringify(wanted)}`, {
    hint: loaded.file === undefined ? `${hint} (no configuration file was found)` : hint,
    details: { agents: known },
  });
}
