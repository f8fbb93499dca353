import { Config } from '@oclif/core/config';

/** The part of package.json that running a command needs. */
interface PackageIdentity {
  readonly name: string;
  readonly version: string;
  readonly oclif: { readonly bin: string };
}

/**
 * oclif's configuration without its start-up work: no plugins, no manifest, no search of the disk.
 * Enough to parse and run one command; measured at a third of the full start.
 */
export function createLeanConfig(root: string, identity: PackageIdentity): Config {
  const config = new Config({ root });
  config.root = root;
  config.name = identity.name;
  config.version = identity.version;
  config.bin = identity.oclif.bin;
  config.pjson = { ...identity, oclif: { bin: identity.oclif.bin, topicSeparator: ' ' } };
  config.topicSeparator = ' ';
  config.plugins = new Map();
  // Hooks belong to plugins, and there are none here.
  config.runHook = async () => ({ successes: [], failures: [] });
  config.userAgent = `${identity.name}/${identity.version}`;
  return config;
}
