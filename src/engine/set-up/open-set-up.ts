import { discoverConfig } from '../config/discovery.js';
import { resolvePath } from '../config/expand-path.js';
import { resolveAgent } from '../config/index.js';
import { configTemplate } from '../config/init-template.js';
import type { LoadedConfig } from '../config/load.js';
import { readConfigText } from '../config/source-file.js';
import type { EngineContext } from '../context.js';
import { type AgentProviders, providerWorld } from '../embeddings/provider-world.js';
import { SvcError } from '../errors/index.js';
import { loadText } from './load-text.js';

/** What a set-up begins with. */
export interface OpenedSetUp {
  /** The configuration that will be written; absolute path. */
  readonly file: string;
  /** What it holds now; undefined when it is not there. */
  readonly before: string | undefined;
  /** What is changed: the same, or the text of a new configuration. */
  readonly base: string;
  readonly loaded: LoadedConfig;
  /** Of the default agent. */
  readonly providers: AgentProviders;
}

/**
 * Finds the configuration that a set-up changes: the one that counts here, or the person's own.
 *
 * @param options.force begin anew, whatever the file holds
 * @throws SvcError CONFIG_*, AGENT_UNKNOWN
 */
export function openSetUp(
  context: EngineContext,
  { configFile, force }: { readonly configFile?: string | undefined; readonly force: boolean },
): OpenedSetUp {
  const file = fileToSetUp(context, configFile, force);
  const before = configTextNow(file, force);
  const base = before === undefined || force ? configTemplate() : before;
  const loaded = loadText(file, base);
  return { file, before, base, loaded, providers: providersOf(loaded, context) };
}

/** A new configuration goes where svc config init has always put it, not over a nearer one. */
function fileToSetUp(
  context: EngineContext,
  configFile: string | undefined,
  force: boolean,
): string {
  const { cwd, homeDir, state } = context;
  if (configFile !== undefined) return resolvePath(configFile, cwd, homeDir);
  return (force ? undefined : discoverConfig(context, undefined).file) ?? state.userConfigFile;
}

/**
 * What a configuration holds now; undefined when it is not there.
 *
 * @param leniently whether it is enough to know that it is there, although it cannot be read as text
 * @throws SvcError CONFIG_*
 */
export function configTextNow(file: string, leniently: boolean): string | undefined {
  try {
    return readConfigText(file);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (error.code === 'CONFIG_NOT_FOUND') return undefined;
    if (leniently && error.code === 'CONFIG_SYNTAX') return '';
    throw error;
  }
}

/** What the default agent's providers are told by, in a configuration that need not be on disk. */
export function providersOf(loaded: LoadedConfig, context: EngineContext): AgentProviders {
  const agent = resolveAgent(loaded, undefined, context);
  const { warnings } = loaded;
  const world = providerWorld(loaded, context);
  // There are no lines to point to in a text that nobody has yet.
  const locate = async (): Promise<undefined> => undefined;
  return { agentId: agent.id, settings: agent.memorySearch, world, locate, warnings };
}
