/*
 * Public API of this room, loaded by every search: choosing providers and the adapter interface.
 *
 * Loaded on demand, with their own entry points: list-providers.ts, describe-provider.ts,
 * diagnosis/index.ts, open-provider.ts, http/http-client.ts, requests/pacer.ts,
 * adapters/github-copilot/login.ts, adapters/local/download/download-model.ts,
 * adapters/local/runtime/install.ts and output-schemas.ts. The configuration reads
 * adapters/index.ts.
 */

export type { EmbeddingEvent } from '../providers/embedding-event.js';
export type { MediaInput, TextInput } from '../providers/embedding-input.js';
export { authFolder } from '../providers/github-copilot/auth-files.js';
export type { LoginEvent } from '../providers/github-copilot/device-flow.js';
export type { ExplainStatus } from '../providers/http/http-client.js';
export { jsonAt } from '../providers/http/status-fault.js';
export { type Platform, runtimeState, runtimesDir } from '../providers/local/runtime/store.js';
export { explainOpenAi } from '../providers/openai.js';
export type { InstallLocalOutput, LoginOutput, LogoutOutput } from '../providers/output-schemas.js';
export type { KeyFacts } from '../providers/provider.js';
export {
  errorOfFault,
  isProviderFailure,
  PROVIDER_CODES,
} from '../providers/provider-error.js';
export {
  ADAPTER_KINDS,
  type AdapterId,
  AUTO_ORDER,
  adapterOf,
  isAdapterId,
  PROVIDERS,
} from '../providers/registry.js';
export { shownAddress, VendorFault, type VendorFaultDetails } from '../providers/vendor-fault.js';
export { chooseNamed, chooseProvider, modelName, type ProviderChoice } from './choose-provider.js';
export { type CredentialPlace, findCredential } from './credentials.js';
export type {
  CHECKS,
  CheckName,
  CheckOutcome,
  Diagnosis,
  DiagnosisEvent,
  DiagnosisWork,
} from './diagnosis/index.js';
export type { BatchJobStore, EmbeddingAdapter, EmbedOptions } from './embedding-adapter.js';
export {
  identityKey,
  identityKeyDifferences,
  isSuperseded,
  supersededKey,
} from './identity.js';
export type { ListedProvider, ProviderListOutput } from './output-schemas.js';
export {
  createProviderPath,
  type PathProvider,
  type ProviderPath,
  providerErrorOf,
} from './provider-path.js';
export {
  type AgentProviders,
  loadAgentProviders,
  type ProviderWorld,
  providerWorld,
} from './provider-world.js';
