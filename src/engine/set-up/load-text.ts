import { checkConfigText } from '../config/check.js';
import type { LoadedConfig } from '../config/load.js';
import { requireValid } from '../config/read-config.js';
import { resolveConfig } from '../config/resolve-config.js';

/**
 * A configuration as if its file held this text.
 *
 * @param file absolute path; relative paths of the text start at its folder
 * @throws SvcError CONFIG_SYNTAX, CONFIG_INVALID
 */
export function loadText(file: string, text: string): LoadedConfig {
  const { input, warnings } = requireValid(checkConfigText(file, text));
  return { file, input, resolved: resolveConfig(input), warnings };
}
