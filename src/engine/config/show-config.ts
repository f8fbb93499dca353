import type { EngineContext } from '../context.js';
import { type EffectiveConfig, type EffectiveOptions, effectiveConfig } from './effective.js';
import { type LoadConfigOptions, loadConfig } from './load.js';

/**
 * The configuration as it holds, for `config show`.
 *
 * @throws SvcError as loadConfig does, and AGENT_UNKNOWN
 */
export async function showConfig(
  context: EngineContext,
  options: EffectiveOptions & LoadConfigOptions,
): Promise<EffectiveConfig> {
  const loaded = await loadConfig(context, options);
  if (!options.origins || loaded.file === undefined) {
    return effectiveConfig(loaded, options, context, undefined);
  }
  const { readCheckedConfig } = await import('./read-config.js');
  const { document } = readCheckedConfig(loaded.file);
  return effectiveConfig(loaded, options, context, (path) => document.locate(path));
}
