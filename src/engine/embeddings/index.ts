export type { BatchJobStore } from './batch/batch-embedding.js';
export {
  AUTO_ORDER,
  type ProviderChoice,
  type ProviderWorld,
} from './choose-provider.js';
export type {
  EmbeddingAdapter,
  EmbeddingEvent,
  EmbedOptions,
  MediaInput,
  TextInput,
} from './embedding-adapter.js';
export { identityKey, identityKeyDifferences } from './identity-key.js';
export { createProviderPath, type PathProvider, type ProviderPath } from './provider-path.js';
