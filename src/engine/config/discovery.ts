import { lstatSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { privacyHint, SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import { type EngineContext, typedPath } from '../support/context.js';
import { readRegularFile, unlessSystemError } from '../support/files.js';
import { realOrGiven } from '../support/paths.js';
import { shellWord, utf8Text } from '../support/text.js';

/** Found without being specified. */
const CONFIG_FILE_NAME = 'svc.json';

/** Why this configuration file is used. */
type ConfigOrigin = 'flag' | 'environment' | 'nearest' | 'user';

export interface LoadConfigOptions {
  /** `--config`, relative to the current folder; undefined searches for the file. */
  readonly configFile?: string | undefined;
}

/** A place that was checked. */
export interface SearchedPlace {
  readonly file: string;
  readonly origin: ConfigOrigin;
  readonly found: boolean;
}

/** The configuration file to use, and all places checked. */
export interface Discovery {
  /** Absolute path; undefined if there is none. */
  readonly file: string | undefined;
  readonly origin: ConfigOrigin | undefined;
  readonly searched: readonly SearchedPlace[];
}

/**
 * Finds the configuration file: `--config`, `SVC_CONFIG`, the nearest svc.json in the current
 * folder or above, the user's own. A specified file is used even if it is missing; reading it
 * fails.
 *
 * Does not use cosmiconfig: its public entry first looks for its own settings in the current folder
 * and runs `.config/config.{js,cjs,mjs,ts}` found there, but searching somebody else's notes must
 * not run their code. It also skips an unreadable svc.json, which must be an error, and takes
 * longer than the rest of a start without configuration.
 */
export function discoverConfig(context: EngineContext, configFile: string | undefined): Discovery {
  const variable = context.env['SVC_CONFIG'];
  const specified = configFile ?? variable;
  if (specified !== undefined && specified !== '') {
    const file = typedPath(specified, context);
    // Callers may pass the variable's value as the flag.
    const origin = specified === variable ? 'environment' : 'flag';
    return { file, origin, searched: [{ file, origin, found: exists(file) }] };
  }
  const searched: SearchedPlace[] = [];
  for (const candidate of candidates(context)) {
    const found = exists(candidate.file);
    searched.push({ ...candidate, found });
    if (found) return { ...candidate, searched };
  }
  return { file: undefined, origin: undefined, searched };
}

function* candidates(
  context: EngineContext,
): Generator<{ readonly file: string; readonly origin: 'nearest' | 'user' }> {
  let folder = resolve(context.cwd);
  for (;;) {
    yield { file: join(folder, CONFIG_FILE_NAME), origin: 'nearest' };
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  yield { file: context.state.userConfigFile, origin: 'user' };
}

/** Whether nobody vouches for a file: it was found by walking up, and is not the user's own. */
export function needsTrust(context: Pick<EngineContext, 'state'>, discovery: Discovery): boolean {
  const { file, origin } = discovery;
  return origin === 'nearest' && file !== undefined && !isOwnConfig(context, file);
}

/**
 * Whether a file is the user's own configuration. A link to it elsewhere is not, since paths in it
 * are relative to the link.
 */
export function isOwnConfig({ state }: Pick<EngineContext, 'state'>, file: string): boolean {
  return configLocation(file) === configLocation(state.userConfigFile);
}

/** The path of a file with the links of its folder resolved, but not its own. */
export function configLocation(file: string): string {
  return join(realOrGiven(dirname(file)), basename(file));
}

/** Includes folders and broken links of that name: something unusable must not be skipped. */
function exists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A folder that cannot be entered hides the file.
    return systemErrorCode(error) === 'ELOOP';
  }
}

/** Every edit parses the whole file. */
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

/**
 * Reads a configuration file; drops a UTF-8 byte order mark.
 *
 * @throws SvcError CONFIG_NOT_FOUND, CONFIG_UNREADABLE (a folder, no permission, over 4 MiB),
 * CONFIG_SYNTAX (not UTF-8)
 */
export function readConfigText(file: string): string {
  const bytes = readBytes(file);
  const wrongEncoding = (why: string): SvcError =>
    new SvcError('CONFIG_SYNTAX', `${file} ${why}`, {
      hint: 'save it as UTF-8',
      location: { file, line: 1, column: 1 },
    });
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw wrongEncoding('is UTF-16 text');
  }
  const text = utf8Text(bytes);
  if (text === undefined) throw wrongEncoding('is not UTF-8 text');
  return text;
}

function readBytes(file: string): Uint8Array {
  try {
    return readRegularFile(file, MAX_CONFIG_BYTES);
  } catch (cause) {
    throw explain(file, cause);
  }
}

function explain(file: string, cause: unknown): SvcError {
  const code = systemErrorCode(cause) ?? '';
  if (code === 'EFBIG') {
    const bytes = unlessSystemError(() => statSync(file).size) ?? MAX_CONFIG_BYTES;
    const why = `is ${(bytes / 1_048_576).toFixed(1)} MiB; the limit is 4 MiB`;
    return unreadable(file, why, 'check that it is the right file');
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const isOwn = unlessSystemError(() => statSync(file).uid) === process.getuid?.();
    const allow = isOwn
      ? `run "chmod u+r ${shellWord(file)}"`
      : 'let the user that svc runs as read the file and enter its folder';
    return new SvcError('CONFIG_UNREADABLE', `cannot read ${file}: permission denied`, {
      hint: privacyHint(cause) ?? allow,
      location: { file, line: 1, column: 1 },
      cause,
    });
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    if (unlessSystemError(() => lstatSync(file))?.isSymbolicLink() === true) {
      const why = 'is a symbolic link to a file that does not exist';
      return unreadable(file, why, 'fix or remove the link', cause);
    }
    return new SvcError('CONFIG_NOT_FOUND', `configuration file not found: ${file}`, {
      hint: 'check the path, or omit --config and SVC_CONFIG',
      cause,
    });
  }
  const why = `cannot be read: ${systemReason(cause)}`;
  const [fault, hint] = UNUSABLE[code] ?? [why, 'check the file system'];
  return unreadable(file, fault, hint, cause);
}

/** What a path can be instead of a file, by the error code of reading it, and what to do. */
const UNUSABLE: Readonly<Record<string, readonly [fault: string, hint: string]>> = {
  EISDIR: ['is a folder', 'use the path of a file'],
  EFTYPE: ['is not a regular file', 'use the path of a regular file'],
  ELOOP: ['is a symbolic link that leads back to itself', 'fix the link'],
};

function unreadable(file: string, why: string, hint: string, cause?: unknown): SvcError {
  return new SvcError('CONFIG_UNREADABLE', `${file} ${why}`, {
    hint,
    location: { file, line: 1, column: 1 },
    cause,
  });
}
