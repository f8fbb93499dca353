import { dirname, join } from 'node:path';
import { SvcError } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { expandHome, resolveConfiguredPath } from '../support/paths.js';
import { nameHint } from '../support/text.js';
import { defaultAgentId, listAgents } from './resolve-config.js';
import type {
  AgentSettings,
  LoadedConfig,
  ResolvedAgent,
  ResolvedMemorySearch,
} from './resolved.js';

/**
 * All settings of an agent, with absolute paths: relative ones start at the folder of the
 * configuration file, unset ones are in the state folders. Only `~` is expanded in `extraPaths`,
 * which are absolute or relative to the workspace (spec/memory-search §2.6).
 *
 * @param agentId undefined means the default agent
 * @throws SvcError AGENT_UNKNOWN
 */
export function resolveAgent(
  loaded: LoadedConfig,
  agentId: string | undefined,
  context: EngineContext,
): ResolvedAgent {
  const { agents, mcp, memory, sessions } = loaded.resolved;
  const id = agentId ?? defaultAgentId(loaded.resolved);
  const agent = agents.list.find((candidate) => candidate.id === id);
  if (agent === undefined) throw unknownAgent(id, loaded);
  const workspace = agent.workspace ?? agents.defaults.workspace;
  const { userTimezone } = agents.defaults;
  const { timezone: dreamTimezone = userTimezone, phases } =
    loaded.resolved.plugins.entries['memory-core'].config.dreaming;
  const workspaceDir =
    workspace === undefined
      ? join(context.state.stateDir, 'workspace')
      : resolveConfiguredPath(loaded, workspace, context);
  return {
    id: agent.id,
    workspaceDir,
    ...(userTimezone === undefined ? {} : { userTimezone }),
    ...(dreamTimezone === undefined ? {} : { dreamTimezone }),
    ...(memory.captureModel === undefined ? {} : { captureModel: memory.captureModel }),
    memoryBudget: phases.deep.maxMemoryChars,
    memorySearch: resolveMemorySearch(loaded, agent, context),
    backend: memory.backend,
    citations: memory.citations,
    sessionReaders: sessions.readers.map(({ id, path }) => {
      if (path === undefined) return { id };
      const templatePath = path.replaceAll('{agentId}', agent.id);
      return { id, path: resolveConfiguredPath(loaded, templatePath, context) };
    }),
    projectDirs: projectDirs(loaded, workspaceDir, context),
    scope: memory.ext.scope,
    mcpWrite: agent.mcp?.write ?? mcp.write,
  };
}

/** @throws SvcError AGENT_UNKNOWN */
export function resolveAgents(
  loaded: LoadedConfig,
  context: EngineContext,
): readonly ResolvedAgent[] {
  return listAgents(loaded.resolved).map((agentId) => resolveAgent(loaded, agentId, context));
}

/** Agents with memory search enabled. @throws SvcError AGENT_UNKNOWN */
export function searchedAgents(
  loaded: LoadedConfig,
  context: EngineContext,
): readonly ResolvedAgent[] {
  return resolveAgents(loaded, context).filter((agent) => agent.memorySearch.enabled);
}

/** The folder of the configuration counts as a project unless it contains the home folder. */
function projectDirs(
  { file }: LoadedConfig,
  workspaceDir: string,
  { homeDir }: EngineContext,
): readonly string[] {
  const dir = file === undefined ? undefined : dirname(file);
  const isTooWide =
    dir === undefined || dir === workspaceDir || `${homeDir}/`.startsWith(`${dir}/`);
  return isTooWide || dirname(dir) === dir ? [workspaceDir] : [workspaceDir, dir];
}

function resolveMemorySearch(
  loaded: LoadedConfig,
  agent: AgentSettings,
  context: EngineContext,
): ResolvedMemorySearch {
  const { memorySearch } = agent;
  const { stateDir, cacheDir } = context.state;
  const { modelPath, modelCacheDir } = memorySearch.local;
  const { rerank } = memorySearch.query;
  const indexPath = memorySearch.store.path;
  const resolve = (path: string): string => resolveConfiguredPath(loaded, path, context);
  const resolveModel = (model: string): string =>
    /^(?:hf:|https?:\/\/)/u.test(model) ? model : resolve(model);
  return {
    ...memorySearch,
    extraPaths: memorySearch.extraPaths.map((path) => expandHome(path, context.homeDir)),
    query: {
      ...memorySearch.query,
      rerank:
        rerank.provider === 'local' && rerank.model !== undefined
          ? { ...rerank, model: resolveModel(rerank.model) }
          : rerank,
    },
    sync: {
      ...memorySearch.sync,
      sessions: {
        ...memorySearch.sync.sessions,
        imports: memorySearch.sync.sessions.imports.map(resolve),
      },
    },
    store: {
      ...memorySearch.store,
      path:
        indexPath === undefined
          ? join(cacheDir, 'memory', `${agent.id}.sqlite`)
          : resolve(indexPath.replaceAll('{agentId}', agent.id)),
    },
    local: {
      ...memorySearch.local,
      ...(modelPath === undefined ? {} : { modelPath: resolveModel(modelPath) }),
      modelCacheDir:
        modelCacheDir === undefined ? join(stateDir, 'models') : resolve(modelCacheDir),
    },
  };
}

function unknownAgent(id: string, loaded: LoadedConfig): SvcError {
  const known = listAgents(loaded.resolved);
  const hint = nameHint(id, known, `use one of: ${known.join(', ')}`);
  return new SvcError('AGENT_UNKNOWN', `unknown agent ${JSON.stringify(id)}`, {
    hint: loaded.file === undefined ? `${hint} (no configuration file found)` : hint,
    details: { agents: known },
  });
}

/** Where to listen, and how. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Absolute paths of PEM files; undefined for plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
}

/** `gateway`: for requests from outside. */
export function gatewayAddress(
  loaded: LoadedConfig,
  context: Pick<EngineContext, 'cwd' | 'homeDir'>,
): ListenAddress {
  const { host, port, tls, trustedProxies } = loaded.resolved.gateway;
  return { host, port, tls: certificatePaths(tls, loaded, context), trustedProxies };
}

/** Absolute paths of a configured certificate and its key; a valid configuration has both or neither. */
export function certificatePaths(
  { cert, key }: { readonly cert?: string | undefined; readonly key?: string | undefined } = {},
  loaded: LoadedConfig,
  context: Pick<EngineContext, 'cwd' | 'homeDir'>,
): ListenAddress['tls'] {
  if (cert === undefined || key === undefined) return undefined;
  const absolute = (path: string): string => resolveConfiguredPath(loaded, path, context);
  return { cert: absolute(cert), key: absolute(key) };
}

/**
 * `gateway.admin`: a separate listener for health and metrics, if configured. Internal, so plain
 * HTTP.
 */
export function adminAddress({ resolved }: LoadedConfig): ListenAddress | undefined {
  const { host, port, admin, trustedProxies } = resolved.gateway;
  if (admin?.host === undefined && admin?.port === undefined) return undefined;
  return { host: admin.host ?? host, port: admin.port ?? port, tls: undefined, trustedProxies };
}
