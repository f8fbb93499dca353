export { applyPlan, type SetUpOutput } from './apply.js';
export { type OpenedSetUp, openSetUp } from './open-set-up.js';
export { planSetUp, type SetUpChoices, type SetUpPlan } from './plan.js';
export {
  type KeyChoice,
  keyState,
  MOST_KEY_BYTES,
  offeredProviders,
  type ProviderOffers,
  parseKey,
  variableKey,
} from './provider-choices.js';
export {
  findWorkspaces,
  firstQuestion,
  type WorkspaceCandidate,
  workspaceState,
} from './workspace.js';
