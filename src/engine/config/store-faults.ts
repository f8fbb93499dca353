import { type Stats, statSync } from 'node:fs';
import type { EngineContext } from '../support/context.js';
import { realTarget } from '../support/files.js';
import type { ConfigFault } from './check.js';
import { formatPath } from './config-path.js';
import type { ConfigDocument } from './document.js';
import { resolveAgents } from './resolve-agent.js';
import type { LoadedConfig } from './resolved.js';

/** An invalid index location, by position of the agent. */
type StoreProblem =
  | { readonly kind: 'folder'; readonly at: number }
  /** Shared with an earlier agent: each would find the other's notes. */
  | { readonly kind: 'shared'; readonly at: number; readonly owner: number };

/**
 * Agents whose configured index location is unusable. Follows links and checks the disk, so the
 * result depends on the machine.
 */
export function storeProblems(
  loaded: LoadedConfig,
  context: EngineContext,
): readonly StoreProblem[] {
  const owners = new Map<string, number>();
  return resolveAgents(loaded, context).flatMap(({ memorySearch }, at): StoreProblem[] => {
    const { path } = memorySearch.store;
    const stats = statsOf(path);
    // The default location is not a fault of the configuration; opening the index reports it.
    if (stats?.isDirectory() === true && placeOf(loaded, at).at(-1) === 'path') {
      return [{ kind: 'folder', at }];
    }
    const key = fileKey(path, stats);
    const owner = owners.get(key);
    if (owner !== undefined) return [{ kind: 'shared', at, owner }];
    owners.set(key, at);
    return [];
  });
}

/** The same as located faults. */
export function storeFaults(
  loaded: LoadedConfig,
  context: EngineContext,
  document: ConfigDocument,
): readonly ConfigFault[] {
  const agents = resolveAgents(loaded, context);
  return storeProblems(loaded, context).map((problem): ConfigFault => {
    const place = placeOf(loaded, problem.at);
    const agent = agents[problem.at];
    const path = agent?.memorySearch.store.path;
    const where = { path: formatPath(place), location: document.locate(place) };
    if (problem.kind === 'folder') {
      return {
        severity: 'fault',
        code: 'store-folder',
        ...where,
        message: `the index of agent ${agent?.id} must be a file, but ${path} is a folder`,
        expected: 'the path of a writable file, such as ~/.svc/memory/{agentId}.sqlite',
      };
    }
    return {
      severity: 'fault',
      code: 'store-shared',
      ...where,
      message: `agents ${agents[problem.owner]?.id} and ${agent?.id} share the index ${path}, so each would search the other's memory`,
      expected: 'a path containing {agentId}, or a different path for each agent',
      related: [document.locate(placeOf(loaded, problem.owner))],
    };
  });
}

/** Where an agent's path is written, or its id for the default path. */
function placeOf({ input }: LoadedConfig, at: number): readonly (string | number)[] {
  const below = ['memorySearch', 'store', 'path'];
  const { defaults, list = [] } = input.agents ?? {};
  if (list[at]?.memorySearch?.store?.path !== undefined) return ['agents', 'list', at, ...below];
  return defaults?.memorySearch?.store?.path === undefined
    ? ['agents', 'list', at, 'id']
    : ['agents', 'defaults', ...below];
}

/** Equal for all names of a file, including hard links. */
function fileKey(path: string, stats: Stats | undefined): string {
  // Unreachable files are compared by name.
  return stats === undefined ? (realTarget(path) ?? path) : `${stats.dev}:${stats.ino}`;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
