import type { SourceLocation } from '../errors/index.js';
import { type ConfigPath, formatPath, valueAt } from './config-path.js';
import type { LoadedConfig } from './load.js';

/** A setting as the file has it. */
export interface WrittenSetting {
  /** Like `agents.list[0].memorySearch.provider`. */
  readonly path: string;
  /** Of its value. */
  readonly location: SourceLocation;
}

/**
 * Finds where a setting is written. A path that begins with `memorySearch` is looked for in the agent
 * first, then in the defaults; any other is one from the root. Undefined when the file is silent.
 */
export type LocateSetting = (path: ConfigPath) => Promise<WrittenSetting | undefined>;

/** Makes the search for one agent's settings; the file is parsed again when it is first asked. */
export function settingLocator(loaded: LoadedConfig, agentId: string): LocateSetting {
  const { file, input, resolved } = loaded;
  if (file === undefined) return async () => undefined;
  const at = resolved.agents.list.findIndex((agent) => agent.id === agentId);
  return async (path) => {
    const places: readonly ConfigPath[] =
      path[0] === 'memorySearch'
        ? [
            ['agents', 'list', at, ...path],
            ['agents', 'defaults', ...path],
          ]
        : [path];
    const written = places.find((place) => valueAt(input, place) !== undefined);
    if (written === undefined) return undefined;
    const { readCheckedConfig } = await import('./read-config.js');
    const { document } = readCheckedConfig(file);
    return { path: formatPath(written), location: document.locate(written) };
  };
}

/**
 * Where values are written in a file that was loaded before, in the order of their paths; the file
 * is parsed again.
 *
 * @throws SvcError CONFIG_UNREADABLE and the like, when it has changed since
 */
export async function locateWritten(
  file: string,
  paths: readonly ConfigPath[],
): Promise<readonly WrittenSetting[]> {
  const { readCheckedConfig } = await import('./read-config.js');
  const { document } = readCheckedConfig(file);
  return paths.map((path) => ({ path: formatPath(path), location: document.locate(path) }));
}
