import type { IntegrationScope } from './agent.js';
import type { ListedAgent } from './list.js';
import type { IntegrateOutput, IntegrationsOutput } from './output-schemas.js';
import type { IntegrationPlan } from './plan.js';

/** `svc integrate AGENT --json`. @param written whether the plan was applied */
export function integrateOutput(plan: IntegrationPlan, written: boolean): IntegrateOutput {
  const { request, files, server, hookLine } = plan;
  return {
    agent: request.agent.id,
    scope: request.scope,
    action: request.action,
    written,
    server: { name: request.name, command: server.words, env: server.env },
    hook: hookLine ?? null,
    changes: files.flatMap(({ file, changes }) =>
      changes.map(({ part, change, diff }) => ({ file: file.file, part, change, diff })),
    ),
  };
}

/** `svc integrate --list --json`. */
export function integrationsOutput(
  scope: IntegrationScope,
  agents: readonly ListedAgent[],
): IntegrationsOutput {
  return {
    scope,
    agents: agents.map(({ id, isDetected, file, servers, hookFile, hook, fault }) => ({
      agent: id,
      detected: isDetected,
      file,
      servers,
      hookFile: hookFile ?? null,
      hook: hook !== undefined,
      activeMemory: hook ?? null,
      error: fault === undefined ? null : { code: fault.code, message: fault.message },
    })),
  };
}
