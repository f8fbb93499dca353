import type { EngineContext } from '../context.js';
import type { Warning } from '../errors/index.js';
import { parsedJson } from '../parse-json.js';
import { SECRETS_DEFAULTS } from './defaults.js';
import { type Discovery, discoverConfig } from './discovery.js';
import type { ConfigFault } from './fault.js';
import type { ConfigInput } from './input.js';
import type { ValidConfig } from './read-config.js';
import { resolveConfig } from './resolve-config.js';
import type { ResolvedConfig } from './resolved.js';
import type { SecretDefaults } from './secret-input.js';
import { readConfigText } from './source-file.js';
import { plainSecrets } from './written-secrets.js';

/** How a configuration is chosen. */
export interface LoadConfigOptions {
  /** The file named by `--config`; relative to the current folder. Undefined means discovery. */
  readonly configFile?: string | undefined;
}

/** A configuration that can be worked with. */
export interface LoadedConfig {
  /** Absolute path; undefined when no file was found and the defaults hold. */
  readonly file: string | undefined;
  /** What the file says. */
  readonly input: ConfigInput;
  /** The same with every default filled in. */
  readonly resolved: ResolvedConfig;
  readonly warnings: readonly Warning[];
}

/** What is wrong with a configuration, for those who want to look at it rather than use it. */
export interface ConfigInspection {
  readonly discovery: Discovery;
  /** Absolute path; undefined when no file was found. */
  readonly file: string | undefined;
  /** The text that faults point into; undefined without a file. */
  readonly text: string | undefined;
  readonly faults: readonly ConfigFault[];
  readonly warnings: readonly ConfigFault[];
}

/**
 * Finds, reads and checks the configuration and fills in the defaults. Without a file nothing that
 * parses or validates is loaded: this is on the way to every command's first output.
 *
 * @throws SvcError CONFIG_NOT_FOUND (a named file only), CONFIG_UNREADABLE, CONFIG_SYNTAX,
 *   CONFIG_INVALID; the last two with every fault in `details.faults`
 */
export async function loadConfig(
  context: EngineContext,
  options: LoadConfigOptions = {},
): Promise<LoadedConfig> {
  const { file } = discoverConfig(context, options.configFile);
  if (file === undefined) {
    return { file, input: {}, resolved: resolveConfig({}), warnings: [] };
  }
  const { input, warnings } = await readValid(file, context.state.cacheDir);
  const resolved = resolveConfig(input);
  tellSecrets(context, input, resolved.secrets.defaults);
  return { file, input, resolved, warnings };
}

/** A text that was found valid before is only read. */
async function readValid(file: string, cacheDir: string): Promise<ValidConfig> {
  const text = readConfigText(file);
  const { keepWarnings, knownWarnings } = await import('./verdict.js');
  const known = knownWarnings(cacheDir, file, text);
  if (known !== undefined) {
    const value = parsedJson(text) ?? (await readAnew(file, text));
    // The schema has accepted this very text; an empty one says nothing.
    return { input: (value ?? {}) as ConfigInput, warnings: known };
  }
  const { checkConfigText } = await import('./check.js');
  const { requireValid } = await import('./read-config.js');
  const valid = requireValid(checkConfigText(file, text));
  await keepWarnings(cacheDir, file, text, valid.warnings);
  return valid;
}

/** With comments and trailing commas. */
async function readAnew(file: string, text: string): Promise<unknown> {
  const { parseConfigText } = await import('./document.js');
  return parseConfigText(file, text).value;
}

function tellSecrets({ onSecret }: EngineContext, input: unknown, defaults: SecretDefaults): void {
  if (onSecret === undefined) return;
  for (const value of plainSecrets(input, defaults)) onSecret(value);
}

/**
 * Like {@link loadConfig}, but gives faults back instead of throwing them.
 *
 * @throws SvcError CONFIG_NOT_FOUND, CONFIG_UNREADABLE, or CONFIG_SYNTAX for a file that is not
 *   UTF-8: there is no text to point into then
 */
export async function inspectConfig(
  context: EngineContext,
  options: LoadConfigOptions = {},
): Promise<ConfigInspection> {
  const discovery = discoverConfig(context, options.configFile);
  const { file } = discovery;
  if (file === undefined) return { discovery, file, text: undefined, faults: [], warnings: [] };
  const { readCheckedConfig } = await import('./read-config.js');
  const { document, faults, warnings } = readCheckedConfig(file);
  tellSecrets(context, document.value, SECRETS_DEFAULTS.defaults);
  return { discovery, file, text: document.text, faults, warnings };
}
