import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfig, resolveAgent } from '../config/index.js';
import { SvcError, type Warning } from '../errors/index.js';
import { hasHook, type IntegrateWorld } from './agent.js';
import { agentNamed } from './agents.js';
import { type IntegrationPlan, type IntegrationRequest, planIntegration } from './plan.js';
import type { MemoryTarget } from './program.js';

/** What a person asked for, with paths relative to the current folder. */
export interface IntegrationWish
  extends Pick<IntegrationRequest, 'action' | 'capture' | 'name' | 'program' | 'scope'> {
  /** The id of the agent. */
  readonly agent: string;
  readonly target: MemoryTarget;
  /** Whether the agent recalls memory before each turn. */
  readonly activeMemory: boolean;
}

export interface PreparedIntegration {
  readonly plan: IntegrationPlan;
  /** Why the registration might fail. */
  readonly warnings: readonly Warning[];
}

/**
 * Plans what a person asked for; nothing is written.
 *
 * @throws SvcError USAGE, WORKSPACE_MISSING, AGENT_UNKNOWN, CONFIG_*, INTEGRATION_*
 */
export async function prepareIntegration(
  world: IntegrateWorld,
  { agent: name, activeMemory, ...wish }: IntegrationWish,
): Promise<PreparedIntegration> {
  const agent = agentNamed(name);
  const target = absolute(wish.target, world.cwd);
  const adds = wish.action === 'add';
  if (adds) await requireTarget(world, target);
  const isPossible = hasHook(agent.hook);
  const hookTimeoutMs = activeMemory ? await recallTimeoutMs(world, target, isPossible) : undefined;
  const plan = planIntegration(world, { ...wish, agent, target, hookTimeoutMs });
  return { plan, warnings: adds ? doubtsOf(plan) : [] };
}

function absolute({ agent, workspace, config }: MemoryTarget, cwd: string): MemoryTarget {
  const path = (given: string | undefined) =>
    given === undefined ? undefined : resolve(cwd, given);
  return { agent, workspace: path(workspace), config: path(config) };
}

/** Refuses a memory that does not exist: a typo would only show up inside the agent. */
async function requireTarget(
  world: IntegrateWorld,
  { agent, workspace, config }: MemoryTarget,
): Promise<void> {
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
  const loaded = await loadConfig(world, { configFile: config });
  if (agent !== undefined) resolveAgent(loaded, agent, world);
}

/** What the program needs besides the recall itself: starting and writing the response. */
const START_MS = 5000;

/** How long an agent has to wait for its hook: the longest recall that the configuration allows. */
async function recallTimeoutMs(
  world: IntegrateWorld,
  { config }: MemoryTarget,
  isPossible: boolean,
): Promise<number> {
  if (!isPossible) return START_MS;
  const { resolved } = await loadConfig(world, { configFile: config });
  const { timeoutMs, setupGraceTimeoutMs } = resolved.plugins.entries['active-memory'].config;
  return timeoutMs + setupGraceTimeoutMs + START_MS;
}

function doubtsOf({ request, isDetected, isPassing }: IntegrationPlan): readonly Warning[] {
  const warnings: Warning[] = [];
  if (!isDetected && request.scope === 'user') {
    warnings.push({ code: 'INTEGRATION_DOUBTFUL', message: `${request.agent.title} not found` });
  }
  if (isPassing) {
    warnings.push({
      code: 'INTEGRATION_DOUBTFUL',
      message: 'svc runs from the cache of npx, which is temporary',
      hint: 'install svc with "npm install -g" and run this again',
    });
  }
  return warnings;
}
