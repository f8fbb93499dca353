import { type ConfigPath, valueAt } from '../config-path.js';
import { SECRETS_DEFAULTS } from '../defaults.js';
import type { ConfigInput } from '../input.js';
import { resolveMemorySearch } from '../resolve-memory-search.js';
import type { MemorySearchSettings } from '../resolved.js';

/** `memorySearch` as it holds for the defaults or for one agent, and where its keys are written. */
export interface SearchScope {
  readonly settings: MemorySearchSettings;
  /** Where a key is written: at the agent, else in the defaults, else undefined. */
  where(...keys: readonly string[]): ConfigPath | undefined;
  /**
   * Whether a finding about these places belongs to this scope. What an agent only inherits is
   * reported once, for the defaults.
   */
  owns(...places: readonly (ConfigPath | undefined)[]): boolean;
}

/** The defaults (also when they are not written), then every agent that overrides something. */
export function* searchScopes(input: ConfigInput): Generator<SearchScope> {
  const defaults = input.agents?.defaults?.memorySearch;
  const defaultsPath: ConfigPath = ['agents', 'defaults', 'memorySearch'];
  yield scopeOf(
    input,
    [defaultsPath],
    resolveMemorySearch(defaults, undefined, SECRETS_DEFAULTS.defaults),
  );
  for (const [at, agent] of (input.agents?.list ?? []).entries()) {
    if (agent.memorySearch === undefined) continue;
    const settings = resolveMemorySearch(defaults, agent.memorySearch, SECRETS_DEFAULTS.defaults);
    yield scopeOf(input, [['agents', 'list', at, 'memorySearch'], defaultsPath], settings);
  }
}

function scopeOf(
  input: ConfigInput,
  layers: readonly ConfigPath[],
  settings: MemorySearchSettings,
): SearchScope {
  const own = layers[0] ?? [];
  return {
    settings,
    where: (...keys) =>
      layers.map((layer) => [...layer, ...keys]).find((path) => valueAt(input, path) !== undefined),
    owns: (...places) =>
      places.some(
        (place) => place !== undefined && own.every((segment, at) => place[at] === segment),
      ),
  };
}

/** The places that are written, without those that are not. */
export function written(...places: readonly (ConfigPath | undefined)[]): readonly ConfigPath[] {
  return places.filter((place) => place !== undefined);
}
