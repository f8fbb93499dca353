export { AGENT_IDS, type AgentId, type IntegrateWorld, type IntegrationScope } from './agent.js';
export { agentNamed } from './agents.js';
export { applyIntegration } from './apply.js';
export { type LastCapture, recordCapture } from './last-capture.js';
export {
  hookWarning,
  type ListedAgent,
  listIntegrations,
  type RegisteredCapture,
  type RegisteredHook,
  registeredCaptures,
  registeredHooks,
} from './list.js';
export { integrateOutput, integrationsOutput } from './output.js';
export type { IntegrateOutput, IntegrationsOutput } from './output-schemas.js';
export { changesFiles, type IntegrationPlan } from './plan.js';
export type { FilePlan } from './plan-file.js';
export { prepareIntegration } from './prepare.js';
export type { ProgramFacts } from './program.js';
