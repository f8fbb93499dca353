import type { EngineContext } from '../context.js';
import { formatPath, valueAt } from './config-path.js';
import { computedDefault } from './defaults.js';
import { parseKnownPath } from './edit/known-path.js';
import { type LoadConfigOptions, loadConfig } from './load.js';
import { maskSecrets } from './mask.js';

/** One value of the configuration. */
export interface ConfigValue {
  readonly path: string;
  /** Secrets masked; undefined when the key is not set and has no default. */
  readonly value: unknown;
  /** Whether the file says so; else the value is a default. */
  readonly origin: 'file' | 'default' | 'unset';
  readonly file: string | undefined;
  /** In words, what holds when the key is unset and its default is not a fixed value. */
  readonly fallback: string | undefined;
}

/**
 * The value at a path: what the file says, else the default.
 *
 * @param path like `agents.defaults.memorySearch.query.maxResults`
 * @throws SvcError USAGE, CONFIG_KEY_UNKNOWN, and as loadConfig does
 */
export async function getConfigValue(
  context: EngineContext,
  path: string,
  options: LoadConfigOptions = {},
): Promise<ConfigValue> {
  const known = parseKnownPath(path);
  const { file, input, resolved } = await loadConfig(context, options);
  const written = valueAt(input, known);
  const value = isLeaf(written) ? written : valueAt(resolved, known);
  return {
    path: formatPath(known),
    value: maskSecrets(value, known),
    origin: written !== undefined ? 'file' : value === undefined ? 'unset' : 'default',
    file,
    fallback: value === undefined ? computedDefault(known) : undefined,
  };
}

/** A group is shown with its defaults filled in, a single value as written. */
function isLeaf(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || Array.isArray(value));
}
