import { homedir } from 'node:os';
import {
  type EngineContext,
  type OnRecall,
  type OnSecret,
  resolveStatePaths,
  type StatePaths,
} from '../engine/context.js';
import { messageOf } from '../engine/errors/index.js';

/**
 * The one place that reads the process: everything behind it is told.
 *
 * @param onSecret hears of the secrets that are read, so that they can be masked
 */
export function createContext(onSecret: OnSecret): EngineContext {
  const env = process.env;
  const homeDir = env['HOME'] ?? homedir();
  const state = resolveStatePaths(env, homeDir);
  return {
    env,
    cwd: process.cwd(),
    homeDir,
    state,
    clock: { now: Date.now },
    onSecret,
    onRecall: (recall) => keepRecall(recall, state),
  };
}

/** Loaded once an answer is out: no question waits for it, and none fails by it. */
async function keepRecall(recall: Parameters<OnRecall>[0], state: StatePaths): Promise<void> {
  try {
    const { keepRecall } = await import('../engine/dreaming/recall-log/keep-recall.js');
    keepRecall(recall, state, Date.now());
  } catch (error) {
    process.stderr.write(`warning: dreaming will not know of this search: ${messageOf(error)}\n`);
  }
}
