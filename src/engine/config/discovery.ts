import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { EngineContext } from '../context.js';
import { systemErrorCode } from '../errors/index.js';
import { resolvePath } from './expand-path.js';

/** The name of a configuration file that is found without being named. */
const CONFIG_FILE_NAME = 'svc.json';

/** Why a configuration file is the one that counts. */
export type ConfigOrigin = 'flag' | 'environment' | 'nearest' | 'user';

/** One place that was looked at, in order. */
export interface SearchedPlace {
  readonly file: string;
  readonly origin: ConfigOrigin;
  readonly found: boolean;
}

/** Which configuration file counts, and where it was looked for. */
export interface Discovery {
  /** Absolute path; undefined when there is none, and then the defaults hold. */
  readonly file: string | undefined;
  readonly origin: ConfigOrigin | undefined;
  readonly searched: readonly SearchedPlace[];
}

/**
 * Finds the configuration file: `--config`, `SVC_CONFIG`, the nearest svc.json upward from the
 * current folder, the person's own. A named file counts even when it is missing; reading it says so.
 *
 * Not built on cosmiconfig, whose public entry first looks for settings of its own in the current
 * folder and loads `.config/config.{js,cjs,mjs,ts}` found there as code: searching somebody else's
 * folder of notes must not run their files. It also passes over a svc.json that may not be read,
 * which has to be an error, and costs more than the rest of a start without configuration.
 */
export function discoverConfig(context: EngineContext, configFile: string | undefined): Discovery {
  const variable = context.env['SVC_CONFIG'];
  const named = configFile ?? variable;
  if (named !== undefined && named !== '') {
    const file = resolvePath(named, context.cwd, context.homeDir);
    // The flag has the variable as its twin, so the caller may pass on what it took from there.
    const origin = named === variable ? 'environment' : 'flag';
    return { file, origin, searched: [{ file, origin, found: exists(file) }] };
  }
  return search(context);
}

function search(context: EngineContext): Discovery {
  const searched: SearchedPlace[] = [];
  for (const { file, origin } of candidates(context)) {
    const found = exists(file);
    searched.push({ file, origin, found });
    if (found) return { file, origin, searched };
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

/** Anything of that name counts, a folder too: what cannot be used must not be passed over. */
function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A folder on the way that may not be entered hides the file from everybody alike.
    return systemErrorCode(error) === 'ELOOP';
  }
}
