import { dirname, join } from 'node:path';
import type { EngineContext } from '../../support/context.js';
import { isInside, realTarget, resolvePath } from '../../support/paths.js';
import { isRecord } from '../../support/text.js';
import type { ConfigPath } from '../config-path.js';
import { withMemorySearch } from '../merge-settings.js';
import { writtenAgents } from '../resolve-config.js';
import type { ConfigInput } from '../schema/index.js';
import { type KeyRisk, riskOf } from './key-risks.js';

/** A value that only a trusted file can set. */
export interface RiskyValue {
  readonly path: ConfigPath;
  readonly value: unknown;
  /** Where a path leads, outside of the folder. */
  readonly leadsTo?: readonly string[];
}

/** Bases of paths in a configuration. */
type Places = Pick<EngineContext, 'homeDir' | 'state'> & {
  /** Absolute path of the configuration file. */
  readonly file: string;
};

/**
 * Separates risky keys from the configuration without them. Unknown keys count as risky.
 *
 * If an ignored key selects the embedding provider, no other is used in its place: notes would be
 * sent to somebody neither the file nor the user has chosen.
 */
export function splitByRisk(input: ConfigInput, places: Places) {
  const risky: RiskyValue[] = [];
  const targetsOf = pathReader(input, places);
  const folder = realTarget(dirname(places.file));
  const outsideTargets = (value: unknown, path: ConfigPath): readonly string[] =>
    targetsOf(String(value), path).flatMap((meant) => {
      const target = realTarget(meant);
      const isHarmless = target !== undefined && folder !== undefined && isInside(target, folder);
      return isHarmless ? [] : [target ?? meant];
    });

  const keep = (value: unknown, path: ConfigPath): unknown => {
    const risk = riskOf(path);
    if (risk === undefined) {
      if (Array.isArray(value)) return keepAll([...value.entries()], path).map(([, item]) => item);
      if (isRecord(value)) {
        const kept = Object.fromEntries(keepAll(Object.entries(value), path));
        return Object.keys(kept).length === 0 && Object.keys(value).length > 0 ? undefined : kept;
      }
    }
    if (risk === 'outside') {
      const leadsTo = outsideTargets(value, path);
      if (leadsTo.length === 0) return value;
      risky.push({ path, value, leadsTo });
      return undefined;
    }
    if (isHarmless(risk, value)) return value;
    risky.push({ path, value });
    return undefined;
  };
  const keepAll = <Key extends string | number>(
    entries: readonly (readonly [Key, unknown])[],
    path: ConfigPath,
  ): readonly (readonly [Key, unknown])[] =>
    entries.flatMap(([key, item]) => {
      const kept = keep(item, [...path, key]);
      return kept === undefined ? [] : [[key, kept]];
    });

  // Removes whole keys only, and no required key without its parent.
  const harmless = (keep(input, []) ?? {}) as ConfigInput;
  return {
    risky,
    harmless: risky.some(isEmbeddingSource)
      ? withMemorySearch(harmless, { provider: 'none' })
      : harmless,
  };
}

function isHarmless(risk: KeyRisk | undefined, value: unknown): boolean {
  return risk === 'harmless' || (Array.isArray(risk) && risk.includes(value));
}

const EMBEDDING_SOURCES = ['provider', 'remote', 'local'];

function isEmbeddingSource({ path }: RiskyValue): boolean {
  const at = path.indexOf('memorySearch');
  return path[0] === 'models' || (at > 0 && EMBEDDING_SOURCES.includes(String(path[at + 1])));
}

/** All absolute paths that a configured path can stand for. */
function pathReader(
  { agents = {} }: ConfigInput,
  { file, homeDir, state }: Places,
): (value: string, path: ConfigPath) => readonly string[] {
  const folder = dirname(file);
  const resolve = (written: string): string => resolvePath(written, folder, homeDir);
  const list = writtenAgents(agents);
  const workspaces = (path: ConfigPath): readonly string[] => {
    const concerned = path[1] === 'list' ? list.filter((_, at) => at === path[2]) : list;
    return concerned.map(({ workspace = agents.defaults?.workspace }) => {
      const own = workspace === undefined ? undefined : realTarget(resolve(workspace));
      const real = realTarget(folder);
      const isUsed = own !== undefined && real !== undefined && isInside(own, real);
      // One outside is ignored.
      return isUsed ? own : join(state.stateDir, 'workspace');
    });
  };
  return (value, path) => {
    if (path.includes('extraPaths')) {
      return workspaces(path).map((workspace) => resolvePath(value, workspace, homeDir));
    }
    return [resolve(value)];
  };
}
