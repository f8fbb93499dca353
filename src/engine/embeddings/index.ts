/*
 * Public API of this room, loaded by every search: choosing providers and the adapter interface.
 *
 * Loaded on demand, with their own entry points: list-providers.ts, describe-provider.ts, diagnosis/diagnose.ts,
 * open-provider.ts and output-schemas.ts.
 */
export {
  chooseNamed,
  chooseProvider,
  entryOf,
  localModelWarning,
  modelName,
  type ProviderChoice,
  providerNamed,
} from './choose-provider.js';
export { type CredentialPlace, findCredential } from './credentials.js';
export type { DiagnosisEvent, DiagnosisWork } from './diagnosis/diagnose.js';
export type * from './embedding-adapter.js';
export { JOB_KEPT_MS } from './embedding-adapter.js';
export {
  fieldsOf,
  identityKey,
  identityKeyDifferences,
  isSuperseded,
  supersededKey,
} from './identity.js';
export type * from './output-schemas.js';
export * from './provider-path.js';
export * from './provider-world.js';
