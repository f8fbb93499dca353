import { join } from 'node:path';
import { openMemory } from '../../../src/engine/memory/index.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';

/** A memory of the folder `notes` of a home, as any process opens it. */
export async function noteWorld(home: string, configFile?: string) {
  const env = { SVC_HOME: join(home, 'state') };
  const state = resolveStatePaths(env, home);
  const context = { env, cwd: home, homeDir: home, state, clock: { now: Date.now } };
  const memory = await openMemory(
    context,
    { kind: 'workspace', dir: join(home, 'notes') },
    { configFile },
  );
  return { memory, options: { context, signal: new AbortController().signal } };
}
