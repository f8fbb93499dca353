import { resolve } from 'node:path';
import { resolvePath } from './paths.js';

/**
 * The environment of the engine, created once in src/cli/context.ts. Nothing in the engine reads
 * `process.env`, `process.cwd()` or the clock directly. Rooms that are given more extend it (`MemoryContext`,
 * `ServerContext`); it is one object for all of them, so it is handed on whole.
 */
export interface EngineContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the current folder. */
  readonly cwd: string;
  /** Absolute path of the home folder, for `~` in configured paths. */
  readonly homeDir: string;
  /** The name of this machine: the default of `storage.origin`. */
  readonly hostName?: string | undefined;
  readonly state: StatePaths;
  readonly clock: Clock;
  /** Called with each secret that was read, so that it is masked in output. */
  readonly onSecret?: OnSecret | undefined;
  /** Called with what was done, for the history of the home screen; see activity/. Never fails. */
  readonly onActivity?: ((counts: ActivityCounts) => void) | undefined;
}

/** How much was done: searches of agents' memories, chunks that were indexed, requests to webhook routes. */
export interface ActivityCounts {
  readonly searches?: number;
  readonly chunks?: number;
  readonly requests?: number;
}

export type OnSecret = (value: string) => void;

/** Milliseconds since the epoch; tests pass their own. */
export interface Clock {
  now(): number;
}

/** Absolute paths of the state on disk. */
export interface StatePaths {
  /** Configuration and user data: `SVC_HOME`, else `$XDG_STATE_HOME/svc`, else `~/.svc`. */
  readonly stateDir: string;
  /** Rebuildable files (indexes): `SVC_HOME`, else `$XDG_CACHE_HOME/svc`, else `~/.svc`. */
  readonly cacheDir: string;
  /** The user configuration: `<config dir>/svc.json`. */
  readonly userConfigFile: string;
}

/** Variables that decide where state is stored. */
export const STATE_VARIABLES = [
  'SVC_HOME',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
] as const;

/** The absolute path of one that was typed: `~` expanded, relative to the current folder. */
export function typedPath(
  path: string,
  { cwd, homeDir }: Pick<EngineContext, 'cwd' | 'homeDir'>,
): string {
  return resolvePath(path, cwd, homeDir);
}

/** Those that are set, as absolute paths: whatever else starts svc has to set them too. */
export function stateVariables(
  context: Pick<EngineContext, 'cwd' | 'env' | 'homeDir'>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    STATE_VARIABLES.flatMap((name) => {
      const path = context.env[name];
      return path ? [[name, typedPath(path, context)]] : [];
    }),
  );
}

/** The state paths for an environment; does not access the disk. */
export function resolveStatePaths(
  env: Readonly<Record<string, string | undefined>>,
  homeDir: string,
): StatePaths {
  const home = env['SVC_HOME'];
  const below = (variable: string): string => {
    // Stored in the forget list, for example, a relative one would mean another folder later.
    if (home) return resolvePath(home, '', homeDir);
    const root = env[variable];
    return root ? resolve(resolvePath(root, '', homeDir), 'svc') : resolve(homeDir, '.svc');
  };
  return {
    stateDir: below('XDG_STATE_HOME'),
    cacheDir: below('XDG_CACHE_HOME'),
    userConfigFile: resolve(below('XDG_CONFIG_HOME'), 'svc.json'),
  };
}
