export { AGENT_IDS, hasHook, type IntegrateWorld, type IntegrationScope } from './agent.js';
export { agentNamed } from './agents.js';
export { applyIntegration } from './apply.js';
export {
  hookWarning,
  type ListedAgent,
  listIntegrations,
  type RegisteredHook,
  registeredHooks,
} from './list.js';
export { integrateOutput, integrationsOutput } from './output.js';
export type { IntegrateOutput, IntegrationsOutput } from './output-schemas.js';
export { type IntegrationPlan, planIntegration, planWarnings } from './plan.js';
export type { FilePlan } from './plan-file.js';
export type { MemoryTarget, ProgramFacts } from './program.js';
