import type { EngineContext } from '../support/context.js';
import { checkConfigText, locateFinding, readCheckedConfig, requireValid } from './check.js';
import type { ConfigFault } from './config-fault.js';
import { parsePath } from './config-path.js';
import type { Discovery } from './discovery.js';
import type { ConfigDocument } from './document.js';
import { resolveConfig } from './resolve-config.js';
import type { LoadedConfig } from './resolved.js';
import type { ConfigInput } from './schema/index.js';
import { storeFindings } from './store-faults.js';
import { type TrustedInput, trustedInput } from './trust/config-trust.js';

/**
 * Checks the text of a file, whether it is trusted, and where it places indexes.
 *
 * @returns what is loaded without what is not trusted, unless there are faults
 * @throws SvcError as readConfigText
 */
export function checkConfigFile(context: EngineContext, discovery: Discovery, file: string) {
  const checked = readCheckedConfig(file);
  if (checked.input === undefined) return { checked, loaded: undefined };
  const trusted = trustedInput(context, discovery, checked.input);
  const { faults, loaded } = checkStores(context, checked.document, trusted.input);
  const warnings = [...checked.warnings, ...ignoredKeyWarnings(trusted, checked.document)];
  return faults.length === 0
    ? { checked: { ...checked, warnings }, loaded }
    : { checked: { ...checked, input: undefined, faults, warnings }, loaded: undefined };
}

/** Checks where a valid configuration places indexes on this machine. */
export function checkStores(context: EngineContext, document: ConfigDocument, input: ConfigInput) {
  const { file } = document;
  const loaded: LoadedConfig = { file, input, resolved: resolveConfig(input), warnings: [] };
  const faults = storeFindings(loaded, context).map((found) => locateFinding(document, found));
  return { loaded, faults };
}

/** The warning about ignored keys, located at the first; none for a trusted file. */
function ignoredKeyWarnings(
  { ignoredKeys: [path], warnings }: TrustedInput,
  document: ConfigDocument,
): readonly ConfigFault[] {
  if (path === undefined) return [];
  const location = document.locate(parsePath(path));
  return warnings.map(({ message }) => {
    return { severity: 'warning', code: 'not-trusted', path, location, message };
  });
}

/**
 * Loads a configuration from a text instead of its file.
 *
 * @param file absolute path; relative paths in the text start at its folder
 * @throws SvcError CONFIG_SYNTAX, CONFIG_INVALID
 */
export function loadConfigText(file: string, text: string): LoadedConfig {
  const { input, warnings } = requireValid(checkConfigText(file, text));
  return { file, input, resolved: resolveConfig(input), warnings };
}
