import { type Stats, statSync } from 'node:fs';
import type { EngineContext } from '../support/context.js';
import { unlessSystemError } from '../support/files.js';
import { realTarget } from '../support/paths.js';
import { agentPlaces, type ConfigPath, valueAt } from './config-path.js';
import { resolveAgents } from './resolve-agent.js';
import type { LoadedConfig } from './resolved.js';
import { fault, type RuleFinding } from './rules/rule.js';

/**
 * Agents whose configured index location is unusable: a folder, or shared with an earlier agent, so
 * that each would find the other's notes. Not a rule of the text: follows links and checks the disk.
 */
export function storeFindings(
  loaded: LoadedConfig,
  context: EngineContext,
): readonly RuleFinding[] {
  const owners = new Map<string, number>();
  const agents = resolveAgents(loaded, context);
  return agents.flatMap(({ id, memorySearch }, at): readonly RuleFinding[] => {
    if (!memorySearch.enabled) return [];
    const { path: index } = memorySearch.store;
    const path = placeOf(loaded, at);
    const stats = unlessSystemError(() => statSync(index));
    // The default location is not a fault of the configuration; opening the index reports it.
    if (stats?.isDirectory() === true && path.at(-1) === 'path') {
      const message = `the index of agent ${id} must be a file, but ${index} is a folder`;
      const expected = 'the path of a writable file, such as ~/.svc/memory/{agentId}.sqlite';
      return [fault('store-folder', path, { message, expected })];
    }
    const key = fileKey(index, stats);
    const owner = owners.get(key);
    if (owner === undefined) {
      owners.set(key, at);
      return [];
    }
    return [
      fault('store-shared', path, {
        message: `agents ${agents[owner]?.id} and ${id} share the index ${index}, so each would search the other's memory`,
        expected: 'a path containing {agentId}, or a different path for each agent',
        related: [placeOf(loaded, owner)],
      }),
    ];
  });
}

/** Where an agent's path is written, or its id for the default path. */
function placeOf({ input }: LoadedConfig, at: number): ConfigPath {
  const places = agentPlaces(at, ['memorySearch', 'store', 'path']);
  return places.find((path) => valueAt(input, path) !== undefined) ?? ['agents', 'list', at, 'id'];
}

/** Equal for all names of a file, including hard links. */
function fileKey(path: string, stats: Stats | undefined): string {
  // Unreachable files are compared by name.
  return stats === undefined ? (realTarget(path) ?? path) : `${stats.dev}:${stats.ino}`;
}
