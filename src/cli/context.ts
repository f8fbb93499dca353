import { homedir } from 'node:os';
import { type EngineContext, resolveStatePaths } from '../engine/context.js';

/** The one place that reads the process: everything behind it is told. */
export function createContext(): EngineContext {
  const env = process.env;
  const homeDir = env['HOME'] ?? homedir();
  return {
    env,
    cwd: process.cwd(),
    homeDir,
    state: resolveStatePaths(env, homeDir),
    clock: { now: Date.now },
  };
}
