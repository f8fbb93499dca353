import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError, systemErrorCode, type Warning } from '../errors/index.js';
import { MASK } from '../secrets/index.js';
import type { EngineContext } from '../support/context.js';
import { PRIVATE_MODE, replaceFile } from '../support/files.js';
import {
  type ConfigFault,
  checkConfigText,
  faultsError,
  requireValid,
  type ValidConfig,
} from './check.js';
import { type ConfigPath, formatPath, isRecord, isSameData, valueAt } from './config-path.js';
import { discoverConfig, readConfigText } from './discovery.js';
import { parseConfigText } from './document.js';
import { editConfigText } from './jsonc.js';
import { coerceValue, parseKnownPath } from './known-path.js';
import type { LoadConfigOptions } from './load.js';

import { isSecretPath, maskSecrets } from './secret-input.js';
import { keepTrust } from './trust/config-trust.js';

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

/**
 * Sets one key. Checks the whole file with the new value before writing it; creates a missing file.
 *
 * @param path like `agents.list[0].id`
 * @param value JSON, or a plain word if the key is a string
 * @throws SvcError USAGE, CONFIG_KEY_UNKNOWN, CONFIG_INVALID, CONFIG_WRITE_FAILED, and errors of
 * reading the file
 */
export function setConfigValue(
  context: EngineContext,
  edit: { readonly path: string; readonly value: string },
  options: LoadConfigOptions = {},
): ConfigEdit {
  const path = parseKnownPath(edit.path);
  const value = coerceValue(path, edit.value);
  if (value === MASK && isSecretPath(path)) {
    throw new SvcError('USAGE', `${MASK} is a placeholder, not a secret`, {
      hint: 'use the secret itself or, better, a reference like env:NAME',
    });
  }
  return applyEdit(context, path, value, options);
}

/**
 * Removes one key, like {@link setConfigValue}; a missing key is not an error.
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
  const { input, warnings } = requireValidEdit(file, text, edited);
  const changed = edited !== text;
  if (changed) {
    const { input: earlier } = checkConfigText(file, text);
    writeFileAtomically(file, edited);
    keepTrust(context, file, { before: earlier, after: input });
  }
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
 * Refuses an edit that leaves faults. Existing faults are reported with their location; new ones
 * have none, since nothing was written.
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
  throw new SvcError('CONFIG_INVALID', first?.message ?? 'invalid value', {
    hint: `${suggestion}nothing was written; use a valid value, or set what it depends on first`,
    details: { faults: checked.faults },
  });
}

/** The current configuration file, or the one to create. */
function fileToEdit(context: EngineContext, options: LoadConfigOptions): string {
  return discoverConfig(context, options.configFile).file ?? context.state.userConfigFile;
}

function readForEdit(file: string): { readonly text: string; readonly data: unknown } {
  try {
    const text = readConfigText(file);
    const document = parseConfigText(file, text);
    // Other faults are allowed: the edit may fix them.
    if (document.syntaxFaults.length > 0) throw faultsError(file, document.syntaxFaults);
    return { text, data: document.value };
  } catch (error) {
    if (error instanceof SvcError && error.code === 'CONFIG_NOT_FOUND')
      return { text: '{}\n', data: {} };
    throw error;
  }
}

/** A list position must exist or be the next one. */
function refuseGap(data: unknown, path: ConfigPath, value: unknown): void {
  if (value === undefined) return;
  for (const [depth, segment] of path.entries()) {
    if (typeof segment !== 'number') continue;
    const list = valueAt(data, path.slice(0, depth));
    const length = Array.isArray(list) ? list.length : 0;
    if (segment <= length) continue;
    throw new SvcError('USAGE', `${formatPath(path.slice(0, depth))} has no item ${segment}`, {
      hint: `use ${formatPath([...path.slice(0, depth), length])} to add an item`,
    });
  }
}

/** Nothing can be set inside a value of the wrong type: that has to be fixed first. */
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

/**
 * Replaces a configuration file atomically. Follows a symbolic link and keeps the file's mode.
 * Creates missing folders.
 *
 * @throws SvcError CONFIG_WRITE_FAILED; the old file is unchanged
 */
export function writeFileAtomically(file: string, text: string): void {
  try {
    const target = followLink(file);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    replaceFile(target, text, modeOf(target));
  } catch (cause) {
    throw new SvcError(
      'CONFIG_WRITE_FAILED',
      `cannot write ${file} (${systemErrorCode(cause) ?? 'unknown error'})`,
      { hint: "check the folder's permissions and free space", cause },
    );
  }
}

function followLink(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return file;
    throw error;
  }
}

/** Configuration may hold plain-text secrets, so a new file is for its owner alone. */
function modeOf(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? PRIVATE_MODE : stat.mode & 0o7777;
}
