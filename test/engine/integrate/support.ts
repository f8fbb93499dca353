import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AgentId,
  IntegrateContext,
  ProgramCall,
} from '../../../src/engine/integrate/agent.js';
import { AGENTS } from '../../../src/engine/integrate/agents.js';
import { applyIntegration } from '../../../src/engine/integrate/apply.js';
import {
  type IntegrationPlan,
  type IntegrationRequest,
  planIntegration,
} from '../../../src/engine/integrate/plan.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { tempFolder } from '../../support/temp-folder.js';

/** An installation of svc, as npm makes one. */
export const PROGRAM = {
  node: '/opt/node/bin/node',
  script: '/opt/lib/node_modules/svc-cli/bin/run.js',
} as const;

/** What the server entry runs without any flags. */
export const SERVER_WORDS = [PROGRAM.node, PROGRAM.script, 'mcp'] as const;

export const SERVER_CALL: ProgramCall = { words: SERVER_WORDS, env: {} };

/** A home folder of its own, with what integrations do there. */
export function home(env: Readonly<Record<string, string>> = {}) {
  const folder = tempFolder();
  const context: IntegrateContext = {
    env,
    cwd: join(folder.path, 'project'),
    homeDir: folder.path,
    state: resolveStatePaths({ SVC_HOME: folder.at('state') }, folder.path),
    platform: 'linux',
    clock: { now: Date.now },
  };
  const request = (agent: AgentId, more: Partial<IntegrationRequest> = {}): IntegrationRequest => ({
    agent: AGENTS[agent],
    scope: 'user',
    action: 'add',
    name: 'svc',
    target: {},
    hookTimeoutMs: undefined,
    capture: false,
    program: PROGRAM,
    ...more,
  });
  const run = async (
    agent: AgentId,
    more: Partial<IntegrationRequest> = {},
  ): Promise<IntegrationPlan> =>
    applyIntegration(
      context,
      planIntegration(context, request(agent, more)),
      new AbortController().signal,
    );
  return {
    folder,
    context,
    request,
    plan: (agent: AgentId, more: Partial<IntegrationRequest> = {}) =>
      planIntegration(context, request(agent, more)),
    add: run,
    remove: (agent: AgentId, more: Partial<IntegrationRequest> = {}) =>
      run(agent, { ...more, action: 'remove' }),
    read: (path: string) => readFileSync(folder.at(path), 'utf8'),
  };
}
