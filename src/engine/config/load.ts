import type { SourceLocation } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { parsedJson } from '../support/text.js';
import type { ValidConfig } from './check.js';
import type { ConfigFault } from './config-fault.js';
import { agentPlaces, type ConfigPath, formatPath, valueAt } from './config-path.js';
import { CONFIG_DEFAULTS } from './defaults.js';
import {
  type Discovery,
  discoverConfig,
  type LoadConfigOptions,
  needsTrust,
  readConfigText,
} from './discovery.js';
import type { ConfigDocument } from './document.js';
import { resolveConfig } from './resolve-config.js';
import type { LoadedConfig } from './resolved.js';
import type { ConfigInput } from './schema/index.js';
import { plainSecrets, type SecretDefaults } from './secret-input.js';
import { storeFindings } from './store-faults.js';

/** All problems of a configuration. */
export interface ConfigInspection {
  /** Absolute path; undefined if there is no file. */
  readonly file: string | undefined;
  /** The text that locations refer to. */
  readonly text: string | undefined;
  readonly faults: readonly ConfigFault[];
  readonly warnings: readonly ConfigFault[];
}

/**
 * Finds, reads and checks the configuration and fills in defaults. Without a file, loads neither
 * parser nor schema, since every command starts with this.
 *
 * @throws SvcError CONFIG_NOT_FOUND (specified file only), CONFIG_UNREADABLE, CONFIG_SYNTAX,
 * CONFIG_INVALID; the last two with all faults in `details.faults`
 */
export async function loadConfig(
  context: EngineContext,
  options: LoadConfigOptions = {},
): Promise<LoadedConfig> {
  const discovery = discoverConfig(context, options.configFile);
  const { file } = discovery;
  if (file === undefined) {
    return { file, input: {}, resolved: resolveConfig({}), warnings: [] };
  }
  const loaded = await loadFound(context, discovery, file);
  if (mayHaveStoreFaults(loaded)) await refuseStoreFaults(context, loaded, file);
  return loaded;
}

async function loadFound(
  context: EngineContext,
  discovery: Discovery,
  file: string,
): Promise<LoadedConfig> {
  const valid = await readValid(file, context.state.cacheDir);
  if (!needsTrust(context, discovery)) return loadedFrom(context, file, valid);
  // Hashing is only loaded if there is something to decide.
  const { splitByRisk } = await import('./trust/risky-part.js');
  const { risky } = splitByRisk(valid.input, { ...context, file });
  if (risky.length === 0) return { ...loadedFrom(context, file, valid), ignoredKeys: [] };
  const { trustedInput } = await import('./trust/config-trust.js');
  const { input, ignoredKeys, warnings } = trustedInput(context, discovery, valid.input);
  const loaded = loadedFrom(context, file, { input, warnings: [...valid.warnings, ...warnings] });
  return { ...loaded, ignoredKeys };
}

function loadedFrom(
  context: EngineContext,
  file: string,
  { input, warnings }: ValidConfig,
): LoadedConfig {
  const resolved = resolveConfig(input);
  reportSecrets(context, input, resolved.secrets.defaults);
  return { file, input, resolved, warnings };
}

/**
 * A single agent shares with nobody, and the default location cannot be a fault of the
 * configuration.
 */
function mayHaveStoreFaults({ input: { agents }, resolved }: LoadedConfig): boolean {
  if (resolved.agents.list.length > 1) return true;
  const entries = [agents?.defaults, ...(agents?.list ?? [])];
  return entries.some((entry) => entry?.memorySearch?.store?.path !== undefined);
}

async function refuseStoreFaults(
  context: EngineContext,
  loaded: LoadedConfig,
  file: string,
): Promise<void> {
  const findings = storeFindings(loaded, context);
  if (findings.length === 0) return;
  const { faultsError, locateFinding } = await import('./check.js');
  const document = await readDocument(file);
  throw faultsError(
    file,
    findings.map((finding) => locateFinding(document, finding)),
  );
}

/** Skips the check for a text that is known to be valid. */
async function readValid(file: string, cacheDir: string): Promise<ValidConfig> {
  const text = readConfigText(file);
  const { keepWarnings, knownWarnings } = await import('./verdict.js');
  const known = knownWarnings(cacheDir, file, text);
  if (known !== undefined) {
    // Comments and trailing commas need the other parser.
    const value = parsedJson(text) ?? (await readDocument(file, text)).value;
    // The schema accepted this text before; an empty one is null.
    return { input: (value ?? {}) as ConfigInput, warnings: known };
  }
  const { checkConfigText, requireValid } = await import('./check.js');
  const valid = requireValid(checkConfigText(file, text));
  keepWarnings(cacheDir, file, text, valid.warnings);
  return valid;
}

/**
 * Parses a file without checking it against the schema, to locate what is written in it.
 *
 * @throws SvcError CONFIG_UNREADABLE and others, if it has changed
 */
export async function readDocument(
  file: string,
  text = readConfigText(file),
): Promise<ConfigDocument> {
  const { parseConfigText } = await import('./document.js');
  return parseConfigText(file, text);
}

function reportSecrets(
  { onSecret }: EngineContext,
  input: unknown,
  defaults: SecretDefaults,
): void {
  if (onSecret === undefined) return;
  for (const value of plainSecrets(input, defaults)) onSecret(value);
}

/**
 * Like {@link loadConfig}, but returns faults instead of throwing them.
 *
 * @throws SvcError CONFIG_NOT_FOUND, CONFIG_UNREADABLE, or CONFIG_SYNTAX for a file that is not
 * UTF-8
 */
export async function inspectConfig(
  context: EngineContext,
  options: LoadConfigOptions = {},
): Promise<ConfigInspection> {
  const discovery = discoverConfig(context, options.configFile);
  const { file } = discovery;
  if (file === undefined) return { file, text: undefined, faults: [], warnings: [] };
  const { checkConfigFile } = await import('./check-file.js');
  const { document, faults, warnings } = checkConfigFile(context, discovery, file).checked;
  reportSecrets(context, document.value, CONFIG_DEFAULTS.secrets.defaults);
  return { file, text: document.text, faults, warnings };
}

export interface WrittenSetting {
  /** Like `agents.list[0].memorySearch.provider`. */
  readonly path: string;
  /** Location of its value. */
  readonly location: SourceLocation;
}

/**
 * Finds where a setting is written. A path starting with `memorySearch` is searched in the agent,
 * then in the defaults; others start at the root. Undefined if the file does not set it.
 */
export type LocateSetting = (path: ConfigPath) => Promise<WrittenSetting | undefined>;

/** Locates one agent's settings; parses the file again each time. */
export function settingLocator(loaded: LoadedConfig, agentId: string): LocateSetting {
  const { file, input, resolved } = loaded;
  if (file === undefined) return async () => undefined;
  const at = resolved.agents.list.findIndex((agent) => agent.id === agentId);
  return async (path) => {
    const places = path[0] === 'memorySearch' ? searchPlaces(path, at, loaded) : [path];
    const written = places.find((place) => valueAt(input, place) !== undefined);
    if (written === undefined) return undefined;
    const document = await readDocument(file);
    return { path: formatPath(written), location: document.locate(written) };
  };
}

/** Where a key of `memorySearch` can be written, best first. */
function searchPlaces(
  path: ConfigPath,
  at: number,
  { input }: LoadedConfig,
): readonly ConfigPath[] {
  const [, key, position] = path;
  if (key === 'exclude' && typeof position === 'number') {
    // The patterns of the agent follow those of the defaults.
    const before = input.agents?.defaults?.memorySearch?.exclude?.length ?? 0;
    return position < before
      ? [['agents', 'defaults', ...path]]
      : [['agents', 'list', at, 'memorySearch', key, position - before]];
  }
  return agentPlaces(at, path);
}
