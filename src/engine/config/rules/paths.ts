import { isAbsolute, normalize } from 'node:path';
import { type ConfigPath, valueAt } from '../config-path.js';
import type { ConfigInput } from '../input.js';
import type { Rule } from './finding.js';

/** Keys whose relative values lie below the folder of the configuration file. */
const FILE_RELATIVE_KEYS: readonly ConfigPath[] = [
  ['agents', 'defaults', 'workspace'],
  ['memory', 'ext', 'sessions', 'exportDir'],
  ['gateway', 'tls', 'cert'],
  ['gateway', 'tls', 'key'],
  ['flows', 'runtimes', 'subagent', 'cwd'],
  ['flows', 'runtimes', 'acp', 'cwd'],
  ['logging', 'file'],
];

const SEARCH_KEYS: readonly ConfigPath[] = [
  ['store', 'path'],
  ['store', 'vector', 'extensionPath'],
  ['local', 'modelPath'],
  ['local', 'modelCacheDir'],
];

/** A relative path that climbs out of the file's folder changes its meaning when the file moves. */
export const pathsStayInFolder: Rule = function* (input) {
  for (const path of pathKeys(input)) {
    const value = valueAt(input, path);
    if (typeof value !== 'string' || !leavesFolder(value)) continue;
    yield {
      severity: 'warning',
      code: 'path-leaves-folder',
      path,
      message: `${JSON.stringify(value)} leads out of the folder that holds this file`,
      expected: 'a path below that folder, an absolute one, or one that begins with ~/',
    };
  }
};

function* pathKeys(input: ConfigInput): Generator<ConfigPath> {
  yield* FILE_RELATIVE_KEYS;
  for (const key of SEARCH_KEYS) yield ['agents', 'defaults', 'memorySearch', ...key];
  for (const at of (input.agents?.list ?? []).keys()) {
    yield ['agents', 'list', at, 'workspace'];
    for (const key of SEARCH_KEYS) yield ['agents', 'list', at, 'memorySearch', ...key];
  }
  for (const at of (input.sessions?.readers ?? []).keys())
    yield ['sessions', 'readers', at, 'path'];
}

function leavesFolder(path: string): boolean {
  if (isAbsolute(path)) return false;
  return /^\.\.(?:[\\/]|$)/u.test(normalize(path));
}
