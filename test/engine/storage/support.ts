import { mkdirSync } from 'node:fs';
import { type LoadedConfig, resolveConfig } from '../../../src/engine/config/index.js';
import type { ServerContext } from '../../../src/engine/postgres/index.js';
import type { EngineContext } from '../../../src/engine/support/context.js';
import { tempFolder } from '../../support/temp-folder.js';

/** A host that uses a server. */
export interface StorageHost {
  readonly context: EngineContext & ServerContext;
  readonly loaded: LoadedConfig;
}

/** @param url undefined for one with SQLite files only */
export function storageHost(url?: string, clock: () => number = Date.now): StorageHost {
  const { path } = tempFolder();
  mkdirSync(`${path}/state`, { mode: 0o700 });
  const stateDir = `${path}/state`;
  const input = url === undefined ? {} : { storage: { url, origin: 'here' } };
  return {
    context: {
      env: {},
      cwd: path,
      homeDir: path,
      state: { stateDir, cacheDir: stateDir, userConfigFile: `${stateDir}/svc.json` },
      clock: { now: clock },
      servers: new Map(),
    },
    loaded: { file: undefined, input, resolved: resolveConfig(input), warnings: [] },
  };
}
