import { type IntegrationScope, isRemote, type ServerCall } from './agent.js';
import type { ListedAgent } from './list.js';
import type { IntegrateOutput, IntegrationsOutput } from './output-schemas.js';
import type { IntegrationPlan } from './plan.js';

/** `svc integrate AGENT --json`. @param written whether the plan was applied */
export function integrateOutput(plan: IntegrationPlan, written: boolean): IntegrateOutput {
  const { request, files, server, hookLine, captureLine } = plan;
  return {
    agent: request.agent.id,
    scope: request.scope,
    action: request.action,
    written,
    server: { name: request.name, ...reachedBy(server) },
    hook: hookLine ?? null,
    capture: captureLine ?? null,
    changes: files.flatMap(({ file, changes }) =>
      changes.map(({ part, change, diff }) => ({ file: file.file, part, change, diff })),
    ),
  };
}

function reachedBy(server: ServerCall): Omit<IntegrateOutput['server'], 'name'> {
  if (!isRemote(server))
    return { command: server.words, env: server.env, url: null, tokenEnv: null };
  return { command: [], env: {}, url: server.url, tokenEnv: server.tokenEnv ?? null };
}

/** `svc integrate --list --json`. */
export function integrationsOutput(
  scope: IntegrationScope,
  agents: readonly ListedAgent[],
): IntegrationsOutput {
  return {
    scope,
    agents: agents.map(({ id, isDetected, file, servers, hookFile, hook, captures, fault }) => ({
      agent: id,
      detected: isDetected,
      file,
      servers,
      hookFile: hookFile ?? null,
      hook: hook !== undefined,
      activeMemory: hook ?? null,
      captures,
      error: fault === undefined ? null : { code: fault.code, message: fault.message },
    })),
  };
}
