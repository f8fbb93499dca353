export { AGENT_IDS, hasHook, type IntegrateWorld, type IntegrationScope } from './agent.js';
export { applyIntegration } from './apply.js';
export { listIntegrations } from './list.js';
export { integrateOutput, integrationsOutput } from './output.js';
export type { IntegrateOutput, IntegrationsOutput } from './output-schemas.js';
export { type IntegrationPlan, planIntegration } from './plan.js';
export type { MemoryTarget, ProgramFacts } from './program.js';
export { agentNamed } from './registry.js';
