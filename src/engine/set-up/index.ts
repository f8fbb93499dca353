export { applyPlan, type SetUpOutput, tryPlan } from './apply.js';
export { type OpenedSetUp, openSetUp } from './open-set-up.js';
export { planSetUp, type SetUpPlan } from './plan.js';
export {
  givenKey,
  type KeyChoice,
  keyState,
  offeredProviders,
  type ProviderOffers,
  variableKey,
} from './provider-choices.js';
export { findWorkspaces, firstQuestion, type WorkspacePlace, workspaceState } from './workspace.js';
