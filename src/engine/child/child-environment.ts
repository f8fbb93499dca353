import type { EngineContext } from '../support/context.js';

/**
 * What programs need, without secrets. Nothing else of svc's environment is passed on, because it contains
 * provider keys.
 */
const PASSED: ReadonlySet<string> = new Set([
  'APPDATA',
  'COMSPEC',
  'HOME',
  'HOMEDRIVE',
  'HOMEPATH',
  'LANG',
  'LANGUAGE',
  'LOCALAPPDATA',
  'LOGNAME',
  'PATH',
  'PATHEXT',
  'SHELL',
  'SVC_HOME',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
  'USERNAME',
  'USERPROFILE',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
]);

/** The environment of a program that svc starts: the minimum, and what is added. */
export function childEnvironment(
  env: EngineContext['env'],
  added: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const passed = Object.entries(env).flatMap(([name, value]) => {
    const isPassed = PASSED.has(name.toUpperCase()) || name.startsWith('LC_');
    return isPassed && value !== undefined ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(passed), ...added };
}

/** The environment of svc itself, with its secrets: for another svc, and for what a person asked svc to run. */
export function wholeEnvironment(env: EngineContext['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
