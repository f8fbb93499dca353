import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkConfigText } from '../../../src/engine/config/check.js';
import type { ConfigFault } from '../../../src/engine/config/config-fault.js';

import type { EngineContext } from '../../../src/engine/support/context.js';

/** A folder of its own for a test, with a home, a state and a current folder in it. */
export interface World {
  readonly root: string;
  readonly context: EngineContext;
  /** Writes a file below the root, creating its folders; returns its absolute path. */
  write(path: string, text: string | Uint8Array): string;
  at(path: string): string;
}

/** Runs a test in a world that is removed afterwards. */
export async function inWorld(
  run: (world: World) => void | Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-config-')));
  const at = (path: string): string => join(root, path);
  mkdirSync(at('project/deep'), { recursive: true });
  const context: EngineContext = {
    env,
    cwd: at('project/deep'),
    homeDir: at('home'),
    state: {
      stateDir: at('home/.svc'),
      cacheDir: at('home/.svc'),
      userConfigFile: at('home/.svc/svc.json'),
    },
    clock: { now: () => 0 },
  };
  const write = (path: string, text: string | Uint8Array): string => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
    return at(path);
  };
  try {
    await run({ root, context, write, at });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Faults of a configuration given as data. */
export function faultsOf(config: unknown): readonly ConfigFault[] {
  return checkConfigText('svc.json', JSON.stringify(config, null, 2)).faults;
}

/** Warnings of a configuration given as data. */
export function warningsOf(config: unknown): readonly ConfigFault[] {
  return checkConfigText('svc.json', JSON.stringify(config, null, 2)).warnings;
}
