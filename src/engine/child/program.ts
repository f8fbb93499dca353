import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { pathFolders, resolveConfiguredPath, type WrittenIn } from '../support/paths.js';

/**
 * Finds the program of a configured command: a path (with `~`, relative to the configuration file) or a name
 * on the PATH.
 *
 * @returns its absolute path
 * @throws SvcError RUNTIME_PROGRAM_MISSING
 */
export function findProgram(word: string, context: EngineContext, loaded: WrittenIn): string {
  const isPath = /[\\/]/u.test(word) || word === '~';
  const candidates = isPath
    ? [resolveConfiguredPath(loaded, word, context)]
    : pathFolders(context.env).map((folder) => join(folder, word));
  const program = candidates.find(isProgram);
  if (program !== undefined) return program;
  const where = isPath ? candidates.join() : `${word} on the PATH`;
  throw new SvcError('RUNTIME_PROGRAM_MISSING', `program not found: ${where}`, {
    hint: isPath
      ? 'fix the path, or make the file executable with chmod u+x'
      : 'install it, or use its absolute path; services can have a shorter PATH than your shell',
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Variables without secrets. Nothing else of svc's environment is passed on, because it contains provider keys. */
const PASSED_VARIABLES: ReadonlySet<string> = new Set(
  `APPDATA COMSPEC HOME HOMEDRIVE HOMEPATH LANG LANGUAGE LOCALAPPDATA LOGNAME PATH PATHEXT SHELL SVC_HOME
  SYSTEMROOT TEMP TMP TMPDIR TZ USER USERNAME USERPROFILE XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
  XDG_RUNTIME_DIR XDG_STATE_HOME`.split(/\s+/u),
);

/** The environment of a program that svc starts: the minimum, and what is added. */
export function childEnvironment(
  env: EngineContext['env'],
  added: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const passed = Object.entries(env).filter(
    ([name]) => PASSED_VARIABLES.has(name.toUpperCase()) || name.startsWith('LC_'),
  );
  return { ...wholeEnvironment(Object.fromEntries(passed)), ...added };
}

/** The environment of svc itself, with its secrets: for another svc, and for what a person asked svc to run. */
export function wholeEnvironment(env: EngineContext['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
