import type { EngineContext } from '../../context.js';
import { SvcError, type Warning } from '../../errors/index.js';
import { MASK } from '../../secrets/mask/token-patterns.js';
import { checkConfigText } from '../check.js';
import { type ConfigPath, formatPath, isRecord, valueAt } from '../config-path.js';
import { discoverConfig } from '../discovery.js';
import { parseConfigText } from '../document.js';
import type { ConfigFault } from '../fault.js';
import type { LoadConfigOptions } from '../load.js';
import { isSecretPath, maskSecrets } from '../mask.js';
import { faultsError, requireValid, type ValidConfig } from '../read-config.js';
import { isSameData } from '../same-data.js';
import { readConfigText } from '../source-file.js';
import { writeFileAtomically } from './atomic-write.js';
import { coerceValue } from './coerce.js';
import { editConfigText } from './edit-text.js';
import { parseKnownPath } from './known-path.js';

/** What an edit did. */
export interface ConfigEdit {
  /** Absolute path of the file that was written. */
  readonly file: string;
  readonly path: string;
  /** The value before and after, secrets masked; absent where there is none. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** False when the file says so already and was left alone. */
  readonly changed: boolean;
  readonly warnings: readonly Warning[];
}

/**
 * Sets one key. The whole file is checked with the new value before it is written; a file that is
 * missing is made.
 *
 * @param path like `agents.list[0].id`
 * @param value JSON, or a plain word where the key takes text
 * @throws SvcError USAGE, CONFIG_KEY_UNKNOWN, CONFIG_INVALID, CONFIG_WRITE_FAILED, and what reading
 *   the file throws
 */
export function setConfigValue(
  context: EngineContext,
  edit: { readonly path: string; readonly value: string },
  options: LoadConfigOptions = {},
): ConfigEdit {
  const path = parseKnownPath(edit.path);
  const value = coerceValue(path, edit.value);
  if (value === MASK && isSecretPath(path)) {
    throw new SvcError('USAGE', `${MASK} only stands for a secret, it is not one`, {
      hint: 'give the secret itself, or better a reference like env:NAME',
    });
  }
  return applyEdit(context, path, value, options);
}

/**
 * Removes one key. Checked and written like {@link setConfigValue}; a key that is not there is no
 * error.
 *
 * @throws SvcError as {@link setConfigValue}
 */
export function unsetConfigValue(
  context: EngineContext,
  edit: { readonly path: string },
  options: LoadConfigOptions = {},
): ConfigEdit {
  return applyEdit(context, parseKnownPath(edit.path), undefined, options);
}

function applyEdit(
  context: EngineContext,
  path: ConfigPath,
  value: unknown,
  options: LoadConfigOptions,
): ConfigEdit {
  const file = fileToEdit(context, options);
  const { text, data } = readForEdit(file);
  const before = valueAt(data, path);
  refuseGap(data, path, value);
  if (value !== undefined) refuseMisfit({ file, text, data }, path);
  const edited = isSameData(before, value) ? text : editConfigText(text, path, value);
  const { warnings } = requireValidEdit(file, text, edited);
  const changed = edited !== text;
  if (changed) writeFileAtomically(file, edited);
  return {
    file,
    path: formatPath(path),
    ...(before === undefined ? {} : { before: maskSecrets(before, path) }),
    ...(value === undefined ? {} : { after: maskSecrets(value, path) }),
    changed,
    warnings,
  };
}

/**
 * Refuses an edit that leaves faults. Those that the file had before are told by their place in
 * it; the edit's own have no place, because nothing was written.
 */
export function requireValidEdit(file: string, text: string, edited: string): ValidConfig {
  const checked = checkConfigText(file, edited);
  if (checked.input !== undefined) return requireValid(checked);
  const isLeft = (fault: ConfigFault): boolean =>
    checked.faults.some(({ code, path }) => code === fault.code && path === fault.path);
  const earlier = checkConfigText(file, text).faults.filter(isLeft);
  if (earlier.length > 0) throw faultsError(file, earlier);
  const [first] = checked.faults;
  const suggestion = first?.suggestion === undefined ? '' : `did you mean "${first.suggestion}"? `;
  throw new SvcError('CONFIG_INVALID', first?.message ?? 'the value does not fit', {
    hint: `${suggestion}nothing was written; give a value that fits, or set first what it depends on`,
    details: { faults: checked.faults },
  });
}

/** The file that counts, or the one that would if it were there. */
function fileToEdit(context: EngineContext, options: LoadConfigOptions): string {
  return discoverConfig(context, options.configFile).file ?? context.state.userConfigFile;
}

function readForEdit(file: string): { readonly text: string; readonly data: unknown } {
  try {
    const text = readConfigText(file);
    const document = parseConfigText(file, text);
    // Only broken syntax stands in the way: an edit may be what mends a fault.
    if (document.syntaxFaults.length > 0) throw faultsError(file, document.syntaxFaults);
    return { text, data: document.value };
  } catch (error) {
    if (error instanceof SvcError && error.code === 'CONFIG_NOT_FOUND')
      return { text: '{}\n', data: {} };
    throw error;
  }
}

/** A list position may be one that is there or the next one; further ones would leave holes. */
function refuseGap(data: unknown, path: ConfigPath, value: unknown): void {
  if (value === undefined) return;
  for (const [depth, segment] of path.entries()) {
    if (typeof segment !== 'number') continue;
    const list = valueAt(data, path.slice(0, depth));
    const length = Array.isArray(list) ? list.length : 0;
    if (segment <= length) continue;
    throw new SvcError('USAGE', `${formatPath(path.slice(0, depth))} ends before item ${segment}`, {
      hint: `use ${formatPath([...path.slice(0, depth), length])} to add one`,
    });
  }
}

/** Nothing can be put into a number, a text or the wrong kind of group: that fault has to go first. */
function refuseMisfit(
  { file, text, data }: { readonly file: string; readonly text: string; readonly data: unknown },
  path: ConfigPath,
): void {
  for (const [depth, segment] of path.entries()) {
    const parent = valueAt(data, path.slice(0, depth));
    if (parent === undefined) return;
    if (typeof segment === 'number' ? Array.isArray(parent) : isRecord(parent)) continue;
    throw faultsError(file, checkConfigText(file, text).faults);
  }
}
