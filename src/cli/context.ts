import { homedir } from 'node:os';
import { type EngineContext, type OnSecret, resolveStatePaths } from '../engine/context.js';

/**
 * The one place that reads the process: everything behind it is told.
 *
 * @param onSecret hears of the secrets that are read, so that they can be masked
 */
export function createContext(onSecret: OnSecret): EngineContext {
  const env = process.env;
  const homeDir = env['HOME'] ?? homedir();
  return {
    env,
    cwd: process.cwd(),
    homeDir,
    state: resolveStatePaths(env, homeDir),
    clock: { now: Date.now },
    onSecret,
  };
}
