import type { EngineContext } from '../context.js';

/**
 * What a program needs to find its way, and what holds no secret. Everything else of svc's own
 * environment stays here: keys of providers are in it.
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

/** The environment of a program that svc starts: the least it needs, then what is given. */
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
