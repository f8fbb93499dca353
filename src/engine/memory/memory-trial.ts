import { join } from 'node:path';
import type { LoadedConfig, ResolvedAgent } from '../config/index.js';
import type { StatePaths } from '../context.js';
import { shortHash } from '../short-hash.js';

/** A memory opened to see how it would be with other settings. */
export interface MemoryTrial {
  /** Laid over `memorySearch`, in the form that it has in `svc.json`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /**
   * Names an index of its own, for settings that change what is indexed: the person's index is never
   * touched for a trial. Undefined for settings that only change how it is searched.
   */
  readonly indexKey: string | undefined;
}

/** Where the indexes of trials lie; they may be deleted at any time. */
export function trialIndexFolder({ cacheDir }: Pick<StatePaths, 'cacheDir'>): string {
  return join(cacheDir, 'memory', 'trials');
}

/** @throws SvcError USAGE when the settings are at fault */
export async function tried(
  loaded: LoadedConfig,
  trial: MemoryTrial | undefined,
): Promise<LoadedConfig> {
  if (trial === undefined || Object.keys(trial.settings).length === 0) return loaded;
  const { withTrialSettings } = await import('../config/trial-settings.js');
  return withTrialSettings(loaded, trial.settings);
}

/** The agent with the index that the trial names, where it names one. */
export function atTrialIndex(
  agent: ResolvedAgent,
  indexName: string,
  trial: MemoryTrial | undefined,
  state: StatePaths,
): ResolvedAgent {
  if (trial?.indexKey === undefined) return agent;
  const { memorySearch, workspaceDir } = agent;
  const name = `${indexName}-${shortHash(`${workspaceDir}\n${trial.indexKey}`)}.sqlite`;
  const path = join(trialIndexFolder(state), name);
  return { ...agent, memorySearch: { ...memorySearch, store: { ...memorySearch.store, path } } };
}
