import { statSync } from 'node:fs';
import { loadConfig, resolveAgent } from '../engine/config/index.js';
import { SvcError } from '../engine/errors/index.js';
import type { MemoryTarget } from '../engine/integrate/index.js';
import type { EngineContext } from '../engine/support/context.js';

/** What the program needs besides the recall itself: starting and writing the response. */
const START_MS = 5000;

/**
 * Refuses a memory that does not exist: a typo would only show up inside the agent.
 *
 * @throws SvcError USAGE, WORKSPACE_MISSING, AGENT_UNKNOWN, CONFIG_*
 */
export async function requireTarget(context: EngineContext, target: MemoryTarget): Promise<void> {
  const { agent, workspace, config } = target;
  if (workspace !== undefined) {
    if (agent !== undefined) {
      throw new SvcError('USAGE', '--agent and --workspace cannot be combined', {
        hint: 'omit one of them',
      });
    }
    if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new SvcError('WORKSPACE_MISSING', `there is no workspace at ${workspace}`, {
        hint: `create it with "mkdir -p ${workspace}", or check the path`,
      });
    }
  }
  if (agent === undefined && config === undefined) return;
  const loaded = await loadConfig(context, { configFile: config });
  if (agent !== undefined) resolveAgent(loaded, agent, context);
}

/** How long an agent has to wait for its hook: the longest recall that the configuration allows. @throws SvcError CONFIG_* */
export async function recallTimeoutMs(
  context: EngineContext,
  { config }: MemoryTarget,
  isPossible: boolean,
): Promise<number> {
  if (!isPossible) return START_MS;
  const { resolved } = await loadConfig(context, { configFile: config });
  const { timeoutMs, setupGraceTimeoutMs } = resolved.plugins.entries['active-memory'].config;
  return timeoutMs + setupGraceTimeoutMs + START_MS;
}
