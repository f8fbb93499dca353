import { SvcError, type Warning } from '../errors/index.js';
import { MASK } from '../masking/index.js';
import type { EngineContext } from '../support/context.js';
import { isRecord, shellWord } from '../support/text.js';
import {
  type CheckedConfig,
  checkConfigText,
  faultsError,
  isSameFault,
  requireValid,
  type ValidConfig,
} from './check.js';
import { checkStores } from './check-file.js';
import type { ConfigFault } from './config-fault.js';
import { type ConfigPath, formatPath, isSameData, parsePath, valueAt } from './config-path.js';
import { type Discovery, discoverConfig, type LoadConfigOptions } from './discovery.js';
import { parseConfigText } from './document.js';
import { editJson } from './edit-json.js';
import { accepts, coerceValue, parseKnownPath } from './known-path.js';
import type { ConfigInput } from './schema/index.js';
import { isListSchema, schemasAt } from './schema/walk.js';
import { isSecretPath, maskSecrets } from './secret-input.js';
import { trustedInput } from './trust/config-trust.js';
import { configTextNow, EMPTY_CONFIG, replaceConfig, withConfigLock } from './write-config.js';

export interface ConfigEdit {
  /** Absolute path. */
  readonly file: string;
  readonly path: string;
  /** Values with secrets masked; undefined if there is none. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** False if the file already has this value. */
  readonly changed: boolean;
  readonly warnings: readonly Warning[];
}

export interface EditOptions extends LoadConfigOptions {
  readonly signal: AbortSignal;
}

/** A key and its new value, as a person writes them. */
export interface ValueEdit {
  /** Like `agents.list[0].id`. */
  readonly path: string;
  /** JSON, or a plain word if the key is a string. */
  readonly value: string;
}

/**
 * Sets one key. Checks the whole file with the new value before writing it: faults that it had before may stay, and are
 * in a warning. Creates a missing file. Waits for other processes that change the configuration.
 *
 * @throws SvcError USAGE, CONFIG_KEY_UNKNOWN, CONFIG_INVALID, CONFIG_WRITE_FAILED, STATE_UNWRITABLE, and errors of
 * reading the file; the signal's reason
 */
export async function setConfigValue(
  context: EngineContext,
  edit: ValueEdit,
  options: EditOptions,
): Promise<ConfigEdit> {
  const known = knownEdit(edit);
  return applyEdit(context, () => known, options);
}

/**
 * Sets one key to a value that depends on the configuration, like {@link setConfigValue}.
 *
 * @param edit gets the file's settings, which no other process of svc changes until the value is written
 */
export async function changeConfigValue(
  context: EngineContext,
  edit: (input: ConfigInput) => ValueEdit,
  options: EditOptions,
): Promise<ConfigEdit> {
  const known = ({ file, text }: CurrentFile): KnownEdit =>
    knownEdit(edit(requireValid(checkConfigText(file, text)).input));
  return applyEdit(context, known, options);
}

/**
 * Removes one key, like {@link setConfigValue}; a missing key is not an error, and neither is one in the file that the
 * schema does not have.
 *
 * @throws SvcError as {@link setConfigValue}
 */
export async function unsetConfigValue(
  context: EngineContext,
  edit: Pick<ValueEdit, 'path'>,
  options: EditOptions,
): Promise<ConfigEdit> {
  const written = parsePath(edit.path);
  const known = ({ data }: CurrentFile): KnownEdit => {
    const isWritten = valueAt(data, written) !== undefined;
    return { path: isWritten ? written : parseKnownPath(edit.path), value: undefined };
  };
  return applyEdit(context, known, options);
}

interface KnownEdit {
  readonly path: ConfigPath;
  /** Undefined removes the key. */
  readonly value: unknown;
}

function knownEdit(edit: ValueEdit): KnownEdit {
  const path = parseKnownPath(edit.path);
  const value = coerceValue(path, edit.value);
  if (value === MASK && isSecretPath(path)) {
    throw new SvcError('USAGE', `${MASK} is a placeholder, not a secret`, {
      hint: 'use the secret itself or, better, a reference like env:NAME',
    });
  }
  if (value === null && !accepts(path, null)) {
    throw new SvcError('USAGE', `${formatPath(path)} cannot be null`, {
      hint: `to remove it: svc config unset ${shellWord(formatPath(path))}`,
    });
  }
  return { path, value };
}

function applyEdit(
  context: EngineContext,
  editOf: (current: CurrentFile) => KnownEdit,
  { configFile, signal }: EditOptions,
): Promise<ConfigEdit> {
  return withConfigLock(context, signal, () => {
    const discovery = discoverConfig(context, configFile);
    const { file = context.state.userConfigFile } = discovery;
    const current = readForEdit(file);
    return writeEdit(context, discovery, current, editOf(current));
  });
}

function writeEdit(
  context: EngineContext,
  discovery: Discovery,
  current: CurrentFile,
  { path, value }: KnownEdit,
): ConfigEdit {
  const { file, text, data } = current;
  const before = valueAt(data, path);
  if (value !== undefined) requireRoom(current, path);
  const edited = isSameData(before, value) ? text : editJson(text, path, value);
  const check = (checkedText: string): CheckedConfig => {
    const checked = checkConfigText(file, checkedText);
    if (checked.input === undefined) return checked;
    // Trusted or not: an edit of a trusted file stays trusted.
    const { faults } = checkStores(context, checked.document, checked.input);
    return faults.length === 0 ? checked : { ...checked, input: undefined, faults };
  };
  const { faults: earlier } = check(text);
  const checked = check(edited);
  requireNoneAdded(checked.faults, movedFaults(earlier, { path, value }), { path, value });
  const changed = edited !== text;
  if (changed) replaceConfig(context, file, { before: current.found, after: edited });
  // The value of a mistyped key may be a secret.
  const isKnown = !earlier.some((fault) => fault.code === 'unknown-key' && isAt(path, fault));
  return {
    file,
    path: formatPath(path),
    ...(before === undefined ? {} : { before: isKnown ? maskSecrets(before, path) : MASK }),
    ...(value === undefined ? {} : { after: maskSecrets(value, path) }),
    changed,
    warnings: warningsOf(context, discovery, checked, path),
  };
}

/** Faults at their places after an edit: where an item of a list is removed, those behind it move up. */
function movedFaults(
  faults: readonly ConfigFault[],
  { path, value }: KnownEdit,
): readonly ConfigFault[] {
  const removed = path.at(-1);
  if (value !== undefined || typeof removed !== 'number') return faults;
  const depth = path.length - 1;
  return faults.map((fault) => {
    const at = fault.path === '' ? [] : parsePath(fault.path);
    const item = at[depth];
    const isBehind =
      typeof item === 'number' &&
      item > removed &&
      isSameData(at.slice(0, depth), path.slice(0, depth));
    return isBehind ? { ...fault, path: formatPath(at.with(depth, item - 1)) } : fault;
  });
}

/**
 * Refuses an edit that adds faults, or leaves one in the value that was set. A key that is written twice still is after
 * setting it once. Once what was edited has no fault any more, others may show: rules check nothing that is invalid.
 */
function requireNoneAdded(
  faults: readonly ConfigFault[],
  earlier: readonly ConfigFault[],
  edit: KnownEdit,
): void {
  const { path, value } = edit;
  const added = faults.filter(
    (fault) =>
      !earlier.some(isSameFault(fault)) ||
      (value !== undefined && fault.code !== 'duplicate-key' && isAt(path, fault)),
  );
  const isIn = (fault: ConfigFault) => isAt(path, fault);
  const isFixed = earlier.some(isIn) && !added.some(isIn);
  if (added.length > 0 && !isFixed) throw refusal(added, edit);
}

/** Whether a fault is of a value, or in it. */
function isAt(path: ConfigPath, fault: ConfigFault): boolean {
  const text = formatPath(path);
  return `${fault.path}.`.startsWith(`${text}.`) || fault.path.startsWith(`${text}[`);
}

function warningsOf(
  context: EngineContext,
  discovery: Discovery,
  checked: CheckedConfig,
  path: ConfigPath,
): readonly Warning[] {
  const { faults, document } = checked;
  if (checked.input === undefined) return [stillInvalid(document.file, faults)];
  const { input, warnings } = requireValid(checked);
  const trusted = trustedInput(context, discovery, input);
  const isIgnored = !isSameData(valueAt(trusted.input, path), valueAt(input, path));
  return isIgnored ? [...warnings, ...trusted.warnings] : warnings;
}

function stillInvalid(file: string, faults: readonly ConfigFault[]): Warning {
  const { message, hint, location } = faultsError(file, faults);
  const place = `${file}:${location?.line}:${location?.column}`;
  return {
    code: 'CONFIG_INVALID',
    message: `the file is still invalid: ${place} ${message}`,
    hint,
  };
}

/**
 * Refuses a change of a file that has or gets faults. Existing faults are reported with their location; new ones
 * have none, since nothing was written.
 */
export function requireValidEdit(file: string, text: string, edited: string): ValidConfig {
  const checked = checkConfigText(file, edited);
  if (checked.input !== undefined) return requireValid(checked);
  const { faults } = checkConfigText(file, text);
  const earlier = faults.filter((fault) => checked.faults.some(isSameFault(fault)));
  throw earlier.length > 0 ? faultsError(file, earlier, FIX_FIRST) : refusal(checked.faults);
}

/** @param edit undefined if it is not of one key */
function refusal(faults: readonly ConfigFault[], edit?: KnownEdit): SvcError {
  const [first] = faults;
  return new SvcError('CONFIG_INVALID', first?.message ?? 'invalid value', {
    hint: first && refusalHint(first, edit),
    details: { faults },
  });
}

/** For faults that were in the file before, perhaps of other keys. */
const FIX_FIRST =
  'nothing was written; fix the file first: "svc config validate" shows every problem in place';

function refusalHint(fault: ConfigFault, edit: KnownEdit = { path: [], value: null }): string {
  const { code, path, message, expected, suggestion } = fault;
  const parents = edit.path.map((_, at) => edit.path.slice(0, at));
  const places = [edit.path, ...parents].map(formatPath);
  if (edit.value === undefined && !places.includes(path)) {
    return `nothing was written; change ${path} first, which depends on it`;
  }
  if (suggestion !== undefined) return `did you mean "${suggestion}"? Nothing was written`;
  const isList = path === places[0] && schemasAt(edit.path).some(isListSchema);
  if (code === 'wrong-type' && isList) {
    return `nothing was written; write a list as JSON, such as '["a", "b"]'`;
  }
  const wanted =
    expected === undefined || message.includes(expected)
      ? 'use a valid value, or set what it depends on first'
      : `expected ${expected}`;
  const parent = parents.findLast((one) => isAt(one, fault));
  if (code !== 'missing-key' || parent === undefined) return `nothing was written; ${wanted}`;
  const whole = shellWord(formatPath(parent));
  if (edit.value === undefined) {
    return `nothing was written; to remove all of it: svc config unset ${whole}`;
  }
  const both = isAt(edit.path, fault) ? '' : `; to set both at once: svc config set ${whole} JSON`;
  return `nothing was written; ${wanted}${both}`;
}

/** The file before an edit. */
interface CurrentFile {
  /** Absolute path. */
  readonly file: string;
  /** Its text; undefined if there is none. */
  readonly found: string | undefined;
  /** The text to edit. */
  readonly text: string;
  readonly data: unknown;
}

function readForEdit(file: string): CurrentFile {
  const found = configTextNow(file);
  const text = found ?? EMPTY_CONFIG;
  const document = parseConfigText(file, text);
  // Other faults are allowed: the edit may fix them.
  if (document.syntaxFaults.length > 0) throw faultsError(file, document.syntaxFaults, FIX_FIRST);
  return { file, found, text, data: document.value };
}

/**
 * A list position must exist or be the next one. Nothing can be set inside a value of the wrong type: that has to be
 * fixed first.
 */
function requireRoom({ file, text, data }: CurrentFile, path: ConfigPath): void {
  for (const [depth, segment] of path.entries()) {
    const owner = path.slice(0, depth);
    const parent = valueAt(data, owner);
    const isList = Array.isArray(parent);
    const fits = typeof segment === 'number' ? isList : isRecord(parent);
    if (parent !== undefined && !fits) {
      throw faultsError(file, checkConfigText(file, text).faults, FIX_FIRST);
    }
    const length = isList ? parent.length : 0;
    if (typeof segment === 'string' || segment <= length) continue;
    throw new SvcError('USAGE', `there is no ${formatPath([...owner, segment])}`, {
      hint: `use ${formatPath([...owner, length])} to add an item`,
    });
  }
}
