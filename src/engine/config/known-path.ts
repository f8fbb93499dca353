import { join } from 'node:path';
import { safeParse } from 'zod/v4/core';
import { SvcError, type Warning } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { parsedJson, suggestName } from '../support/text.js';
import {
  type ConfigPath,
  formatPath,
  JOINED_LISTS,
  type PathSegment,
  parsePath,
  valueAt,
  writingPlaces,
} from './config-path.js';
import { computedDefault } from './defaults.js';
import type { LoadConfigOptions } from './discovery.js';
import { loadConfig } from './load.js';
import { isListSchema, keysAt, pathOfKey, schemasAt } from './schema/walk.js';
import { maskSecrets } from './secret-input.js';

/**
 * Parses a path and checks that the schema has it. Digits after a dot are a list position where the
 * schema has a list: `agents.list.0.id` is `agents.list[0].id`.
 *
 * @throws SvcError USAGE (not a path), CONFIG_KEY_UNKNOWN (perhaps with a suggestion)
 */
export function parseKnownPath(text: string): ConfigPath {
  const path: PathSegment[] = [];
  for (const written of parsePath(text)) {
    const isPosition = /^\d+$/u.test(String(written)) && schemasAt(path).some(isListSchema);
    const segment = isPosition ? Number(written) : written;
    if (schemasAt([...path, segment]).length === 0) throw unknownPath(path, segment);
    path.push(segment);
  }
  return path;
}

function unknownPath(parent: ConfigPath, segment: PathSegment): SvcError {
  const known = keysAt(parent);
  const path = formatPath([...parent, segment]);
  const near = suggestName(String(segment), known);
  const suggestion =
    near === undefined ? pathOfKey(String(segment)) : formatPath([...parent, near]);
  const keys = known.length === 0 ? 'it has no keys' : `known keys: ${known.join(', ')}`;
  return new SvcError('CONFIG_KEY_UNKNOWN', `unknown configuration key ${path}`, {
    hint: suggestion === undefined ? keys : `did you mean "${suggestion}"?`,
    details: { path, ...(suggestion === undefined ? {} : { suggestion }) },
  });
}

/**
 * Interprets a command line argument: JSON if the key accepts it, else text. `8` is a number for
 * `query.maxResults` and text for `agents.list[0].id`. If the key accepts neither, returns JSON, so
 * that checking the file explains the problem.
 */
export function coerceValue(path: ConfigPath, text: string): unknown {
  const parsed = parsedJson(text);
  // No number of JSON, which would be written as null.
  const json = parsed === Infinity || parsed === -Infinity ? undefined : parsed;
  if (json !== undefined && accepts(path, json)) return json;
  // Nobody means the word.
  const isText = json !== null && accepts(path, text);
  return isText || json === undefined ? text : json;
}

/** Whether the schema has the value at a path. */
export function accepts(path: ConfigPath, value: unknown): boolean {
  return schemasAt(path).some((schema) => safeParse(schema, value).success);
}

export interface ConfigValue {
  readonly path: string;
  /** Secrets masked; undefined if the key is not set and has no default. */
  readonly value: unknown;
  /** Whether the file sets it or it is a default. */
  readonly origin: 'file' | 'default' | 'unset';
  readonly file: string | undefined;
  /** Describes a default that is not a fixed value. */
  readonly fallback: string | undefined;
  readonly warnings: readonly Warning[];
}

/**
 * The value at a path: from the file, else the default.
 *
 * @param path like `agents.defaults.memorySearch.query.maxResults`
 * @throws SvcError USAGE, CONFIG_KEY_UNKNOWN, and as loadConfig
 */
export async function getConfigValue(
  context: EngineContext,
  path: string,
  options: LoadConfigOptions = {},
): Promise<ConfigValue> {
  const known = parseKnownPath(path);
  const { file, input, resolved, warnings } = await loadConfig(context, options);
  const written = valueAt(input, known);
  const isJoined = JOINED_LISTS.includes(String(known.at(-1)));
  const value = isLeaf(written) && !isJoined ? written : valueAt(resolved, known);
  const isInFile = writingPlaces(known).some((place) => valueAt(input, place) !== undefined);
  return {
    path: formatPath(known),
    value: maskSecrets(value, known),
    origin: value === undefined ? 'unset' : isInFile ? 'file' : 'default',
    file,
    fallback: value === undefined ? withFolders(computedDefault(known), context) : undefined,
    warnings,
  };
}

/** A described default with the folders that are in effect: variables can move them out of `~/.svc`. */
function withFolders(
  text: string | undefined,
  { homeDir, state }: EngineContext,
): string | undefined {
  const folder = text?.startsWith('`~/.svc/memory/') ? state.cacheDir : state.stateDir;
  return folder === join(homeDir, '.svc') ? text : text?.replace('~/.svc', () => folder);
}

/** Groups and joined lists are shown with defaults, single values as written. */
function isLeaf(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || Array.isArray(value));
}
