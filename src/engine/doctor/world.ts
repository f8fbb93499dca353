import type { CheckedConfig } from '../config/check.js';
import { type ConfigPath, valueAt } from '../config/config-path.js';
import {
  discoverConfig,
  type LoadedConfig,
  type ResolvedAgent,
  resolveAgents,
  resolveConfig,
} from '../config/index.js';
import { readCheckedConfig } from '../config/read-config.js';
import type { EngineContext } from '../context.js';
import { SvcError } from '../errors/index.js';
import { type OpenedMemory, openAllMemories } from '../memory/open-memory.js';
import { createSecretMask, type SecretMask } from '../secrets/mask/secret-mask.js';
import type { FindingPlace } from './finding.js';
import type { Host } from './host.js';

/** What became of reading the configuration. */
export type ConfigReading =
  /** There is none: the defaults hold. */
  | { readonly state: 'none'; readonly loaded: LoadedConfig }
  | { readonly state: 'usable'; readonly checked: CheckedConfig; readonly loaded: LoadedConfig }
  | { readonly state: 'faulty'; readonly checked: CheckedConfig }
  /** There is no text to look at. */
  | { readonly state: 'unreadable'; readonly error: SvcError };

/** What every check is given: the world as it was found at the start of one look. */
export interface DoctorWorld {
  readonly context: EngineContext;
  readonly host: Host;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  readonly reading: ConfigReading;
  /** Everybody who has a memory; nobody while the configuration has faults. */
  readonly agents: readonly ResolvedAgent[];
  /** Those that a check met; they are masked in everything that is told. */
  readonly mask: SecretMask;
  readonly signal: AbortSignal;
}

/** The same where the configuration can be worked with. */
export interface ConfiguredWorld extends DoctorWorld {
  readonly loaded: LoadedConfig;
  /** Where a setting is written; undefined when the file is silent about it. */
  readonly placeOf: (path: ConfigPath) => FindingPlace | undefined;
  /** Like placeOf for a path below an agent: looked for in the agent, then in the defaults. */
  readonly placeOfAgent: (agentId: string, path: ConfigPath) => FindingPlace | undefined;
  /** The memories of the agents that have one, opened once; closed at the end of the look. */
  readonly memories: () => Promise<readonly OpenedMemory[]>;
}

/** What a look at the world begins with. */
export interface LookOptions {
  readonly context: EngineContext;
  readonly host: Host;
  readonly configFile: string | undefined;
  readonly signal: AbortSignal;
}

/** A world, and how to let go of it. */
export interface OpenedWorld {
  readonly world: DoctorWorld;
  /** Undefined while the configuration cannot be worked with. */
  readonly configured: ConfiguredWorld | undefined;
  readonly close: () => Promise<void>;
}

/** Reads the configuration for one look. */
export function openWorld(options: LookOptions): OpenedWorld {
  const reading = readConfig(options);
  const { context, configFile } = options;
  const loaded = 'loaded' in reading ? reading.loaded : undefined;
  const agents = loaded === undefined ? [] : resolveAgents(loaded, context);
  const world: DoctorWorld = { ...options, reading, agents, mask: createSecretMask() };
  if (loaded === undefined) return { world, configured: undefined, close: async () => undefined };
  let memories: Promise<readonly OpenedMemory[]> | undefined;
  const placeOf = (path: ConfigPath): FindingPlace | undefined => locate(reading, path);
  const configured: ConfiguredWorld = {
    ...world,
    loaded,
    placeOf,
    placeOfAgent: (agentId, path) =>
      placeOf(['agents', 'list', agents.findIndex(({ id }) => id === agentId), ...path]) ??
      placeOf(['agents', 'defaults', ...path]),
    memories: () => {
      memories ??= openAllMemories(context, { configFile });
      return memories;
    },
  };
  const close = async (): Promise<void> => {
    // What could not be opened has been told by the checks that asked for it.
    for (const memory of (await memories?.catch(() => [])) ?? []) await memory.backend.close();
  };
  return { world, configured, close };
}

function readConfig({ context, configFile }: LookOptions): ConfigReading {
  const { file } = discoverConfig(context, configFile);
  if (file === undefined) {
    const loaded = { file, input: {}, resolved: resolveConfig({}), warnings: [] };
    return { state: 'none', loaded };
  }
  try {
    const checked = readCheckedConfig(file);
    const { input } = checked;
    if (input === undefined) return { state: 'faulty', checked };
    const loaded = { file, input, resolved: resolveConfig(input), warnings: [] };
    return { state: 'usable', checked, loaded };
  } catch (error) {
    if (error instanceof SvcError) return { state: 'unreadable', error };
    throw error;
  }
}

function locate(reading: ConfigReading, path: ConfigPath): FindingPlace | undefined {
  if (reading.state !== 'usable') return undefined;
  const { document } = reading.checked;
  return valueAt(document.value, path) === undefined ? undefined : document.locate(path);
}
