import { configTemplate, configTextNow, loadConfigText } from '../config/authoring.js';
import {
  type Discovery,
  discoverConfig,
  type LoadedConfig,
  resolveAgent,
} from '../config/index.js';
import { requireTrusted, trustedInput } from '../config/trust/config-trust.js';
import { type AgentProviders, providerWorld } from '../embeddings/index.js';
import { type EngineContext, typedPath } from '../support/context.js';

/** The configuration to set up, as it is now. */
export interface OpenedSetUp {
  /** Absolute path of the configuration to write. */
  readonly file: string;
  /** Its current text; undefined when it does not exist. */
  readonly before: string | undefined;
  /** The text to edit: the current one, or a template. */
  readonly base: string;
  readonly loaded: LoadedConfig;
  /** Of the default agent. */
  readonly providers: AgentProviders;
}

/**
 * Finds the configuration to set up: the one in effect here, or the user's.
 *
 * @param options.force start from a template, whatever the file contains
 * @throws SvcError CONFIG_* (CONFIG_UNTRUSTED for an untrusted file), AGENT_UNKNOWN
 */
export function openSetUp(
  context: EngineContext,
  { configFile, force }: { readonly configFile?: string | undefined; readonly force: boolean },
): OpenedSetUp {
  const { file, origin } = fileToSetUp(context, configFile, force);
  const before = configTextNow(file, force);
  const base = before === undefined || force ? configTemplate() : before;
  const loaded = loadConfigText(file, base);
  // Testing and keeping its settings would amount to trusting them.
  const { ignoredKeys } = trustedInput(context, { file, origin, searched: [] }, loaded.input);
  requireTrusted(file, ignoredKeys);
  return { file, before, base, loaded, providers: providersOf(loaded, context) };
}

/** With --force, the user's configuration is replaced and not a nearer one. */
function fileToSetUp(
  context: EngineContext,
  configFile: string | undefined,
  force: boolean,
): { readonly file: string; readonly origin: Discovery['origin'] } {
  if (configFile !== undefined) return { file: typedPath(configFile, context), origin: 'flag' };
  const { file, origin } = force ? { file: undefined } : discoverConfig(context, undefined);
  return file === undefined
    ? { file: context.state.userConfigFile, origin: 'user' }
    : { file, origin };
}

/** The settings of the default agent's providers, in a configuration that need not be on disk. */
export function providersOf(loaded: LoadedConfig, context: EngineContext): AgentProviders {
  const { id, memorySearch: settings } = resolveAgent(loaded, undefined, context);
  const world = providerWorld(loaded, context);
  // There may be no lines to point to.
  const locate = async (): Promise<undefined> => undefined;
  return { agentId: id, settings, world, locate, warnings: loaded.warnings };
}
