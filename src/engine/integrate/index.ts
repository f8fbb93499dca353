export { AGENT_IDS, type AgentId, type IntegrateContext, type IntegrationScope } from './agent.js';
export { agentNamed } from './agents.js';
export { applyIntegration } from './apply.js';
export {
  type LastCapture,
  type ListedAgent,
  listIntegrations,
  type RegisteredCapture,
  type RegisteredHook,
  type RegisteredServer,
  recordCapture,
  registeredCaptures,
  registeredHooks,
  registeredServers,
} from './list.js';
export type { IntegrateOutput, IntegrationsOutput } from './output-schemas.js';
export { changesFiles, type IntegrationPlan, integrateOutput } from './plan.js';
export type { FilePlan } from './plan-file.js';
export { hookWarning, prepareIntegration } from './prepare.js';
export type { ProgramFacts } from './program.js';
