import type { Config } from '@oclif/core/config';

/** The part of oclif's configuration that parsing and running a command reads. */
export type LeanConfig = Pick<
  Config,
  'bin' | 'root' | 'runHook' | 'scopedEnvVar' | 'scopedEnvVarKey' | 'scopedEnvVarKeys' | 'theme'
>;

/**
 * oclif's configuration without its start-up work: no plugins, no manifest, no search of the disk.
 * Everything that needs more (help, completion) goes through oclif's own start.
 *
 * @param root absolute path of the package
 */
export function createLeanConfig(
  bin: string,
  env: Readonly<Record<string, string | undefined>>,
  root: string,
): LeanConfig {
  const key = (name: string): string => `${bin.toUpperCase()}_${name}`;
  return {
    bin,
    root,
    // Hooks belong to plugins, and there are none here.
    runHook: async () => ({ successes: [], failures: [] }),
    scopedEnvVar: (name) => env[key(name)],
    scopedEnvVarKey: key,
    scopedEnvVarKeys: (name) => [key(name)],
    theme: undefined,
  };
}
