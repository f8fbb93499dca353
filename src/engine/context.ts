import type { SearchResponse } from './memory/search/types.js';

/**
 * What the engine is told about the world. Made once at the edge (src/cli/context.ts) and passed
 * in; nothing in the engine reads `process.env`, `process.cwd()` or the clock by itself.
 */
export interface EngineContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the folder the person stands in. */
  readonly cwd: string;
  /** Absolute path of the person's home folder, for `~` in configured paths. */
  readonly homeDir: string;
  /** Where svc keeps its state; see {@link StatePaths}. */
  readonly state: StatePaths;
  readonly clock: Clock;
  /** Told each secret that was read, so that nothing that is printed holds it. */
  readonly onSecret?: OnSecret | undefined;
  /** Told what each question to an agent's memory brought up, where that is kept; see dreaming/recall-log. */
  readonly onRecall?: OnRecall | undefined;
}

/** Takes an answer of memory, after whoever asked has it. Never fails. */
export type OnRecall = (recall: {
  /** Absolute path of the agent's workspace. */
  readonly workspaceDir: string;
  readonly response: SearchResponse;
}) => Promise<void>;

/** Takes the value of a secret; see createSecretMask. */
export type OnSecret = (value: string) => void;

/** Milliseconds since the epoch; injected so that tests choose the time. */
export interface Clock {
  now(): number;
}

/** Absolute paths of the state on disk (design: one folder, `~/.svc` unless moved). */
export interface StatePaths {
  /** Configuration and user data: `SVC_HOME`, else `$XDG_STATE_HOME/svc`, else `~/.svc`. */
  readonly stateDir: string;
  /** Rebuildable files (indexes): `SVC_HOME`, else `$XDG_CACHE_HOME/svc`, else `~/.svc`. */
  readonly cacheDir: string;
  /** The configuration used when none is found nearer: `<config dir>/svc.json`. */
  readonly userConfigFile: string;
}

/** Where state lives for this environment; pure, touches no disk. */
export function resolveStatePaths(
  env: Readonly<Record<string, string | undefined>>,
  homeDir: string,
): StatePaths {
  const home = env['SVC_HOME'];
  const fallback = `${homeDir}/.svc`;
  const below = (variable: string): string => {
    if (home) return home;
    const root = env[variable];
    return root ? `${root}/svc` : fallback;
  };
  return {
    stateDir: below('XDG_STATE_HOME'),
    cacheDir: below('XDG_CACHE_HOME'),
    userConfigFile: `${below('XDG_CONFIG_HOME')}/svc.json`,
  };
}
