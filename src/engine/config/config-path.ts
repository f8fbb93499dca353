import { SvcError } from '../errors/index.js';
import { isRecord, parsedJson } from '../support/text.js';

/** A key of an object, or a 0-based position in a list. */
export type PathSegment = string | number;

/** A path from the root of the configuration. */
export type ConfigPath = readonly PathSegment[];

export const DREAMING_PATH = ['plugins', 'entries', 'memory-core', 'config', 'dreaming'] as const;

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/u;

/** Formats a path as people type it: `agents.list[0].id`, `models.providers["my.host"].api`. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (!PLAIN_KEY.test(segment)) text += `[${JSON.stringify(segment)}]`;
    else text += text === '' ? segment : `.${segment}`;
  }
  return text;
}

/**
 * Parses a path in the form of {@link formatPath}; quotes may be single or double.
 *
 * @throws SvcError USAGE
 */
export function parsePath(text: string): ConfigPath {
  const token = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*"|'[^']*')\]|(^|\.)([^.[\]"']+)/gu;
  const path: PathSegment[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    if (match.index !== end) break;
    end = match.index + match[0].length;
    path.push(segmentOf(match));
  }
  if (end === text.length && path.length > 0) return path;
  throw new SvcError('USAGE', `"${text}" is not a configuration path`, {
    hint: 'write it like agents.list[0].id, and keys with dots like models.providers["my.host"].api',
  });
}

function segmentOf([, position, quoted, , plain = '']: RegExpMatchArray): PathSegment {
  if (position !== undefined) return Number(position);
  if (quoted === undefined) return plain;
  const value = parsedJson(quoted);
  return typeof value === 'string' ? value : quoted.slice(1, -1);
}

/** Lists of memory search to which an agent's entry adds, instead of replacing them. */
export const JOINED_LISTS: readonly string[] = ['exclude', 'extraPaths', 'extraCollections'];

/** The value at a path of plain JSON data. */
export function valueAt(root: unknown, path: ConfigPath): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof segment === 'number') value = Array.isArray(value) ? value[segment] : undefined;
    else value = isRecord(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
  }
  return value;
}

/** Where a setting of an agent can be written, best first: in its entry, or in the defaults. */
export function agentPlaces(at: number, path: ConfigPath): readonly [ConfigPath, ConfigPath] {
  return [
    ['agents', 'list', at, ...path],
    ['agents', 'defaults', ...path],
  ];
}

/** Where the value of a key can be written, best first: an agent inherits settings of memory search. */
export function writingPlaces(path: ConfigPath): readonly ConfigPath[] {
  const [root, list, position, ...rest] = path;
  const isOfAgent = root === 'agents' && list === 'list' && typeof position === 'number';
  return isOfAgent && rest[0] === 'memorySearch' ? agentPlaces(position, rest) : [path];
}

/** Whether two values of parsed JSON or TOML are equal. */
export function isSameData(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isSameData(item, b[at]));
  }
  if (a instanceof Date && b instanceof Date) return String(a) === String(b);
  if (!isRecord(a) || !isRecord(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameData(a[key], b[key]))
  );
}
