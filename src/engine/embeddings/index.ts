/*
 * Public API of this room, loaded by every search: choosing providers and the adapter interface.
 *
 * Loaded on demand, with their own entry points: list-providers.ts, describe-provider.ts,
 * diagnosis/index.ts, open-provider.ts, http/http-client.ts, requests/pacer.ts,
 * adapters/github-copilot/login.ts, adapters/local/download/download-model.ts,
 * adapters/local/runtime/install.ts and output-schemas.ts. The configuration reads
 * adapters/index.ts.
 */
export { authFolder } from './adapters/github-copilot/auth-files.js';
export type { LoginEvent } from './adapters/github-copilot/device-flow.js';
export {
  ADAPTER_KINDS,
  type AdapterId,
  AUTO_ORDER,
  adapterOf,
  isAdapterId,
  PROVIDERS,
} from './adapters/index.js';
export { type Platform, runtimeState, runtimesDir } from './adapters/local/runtime/store.js';
export { explainOpenAi } from './adapters/openai.js';
export type { KeyFacts } from './adapters/provider.js';
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
export type {
  BatchJobStore,
  EmbeddingAdapter,
  EmbeddingEvent,
  EmbedOptions,
  MediaInput,
  TextInput,
} from './embedding-adapter.js';
export type { ExplainStatus } from './http/http-client.js';
export { jsonAt } from './http/status-fault.js';
export {
  identityKey,
  identityKeyDifferences,
  isSuperseded,
  supersededKey,
} from './identity.js';
export type {
  InstallLocalOutput,
  ListedProvider,
  LoginOutput,
  LogoutOutput,
  ProviderListOutput,
} from './output-schemas.js';
export {
  errorOfFault,
  isProviderFailure,
  PROVIDER_CODES,
  providerErrorOf,
} from './provider-error.js';
export { createProviderPath, type PathProvider, type ProviderPath } from './provider-path.js';
export {
  type AgentProviders,
  loadAgentProviders,
  type ProviderWorld,
  providerWorld,
} from './provider-world.js';
export { shownAddress, VendorFault, type VendorFaultDetails } from './vendor-fault.js';
