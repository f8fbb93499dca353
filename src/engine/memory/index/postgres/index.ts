/* A memory in PostgreSQL. Loaded only if `storage.url` is set. */
export { openPostgresIndex, preparePostgresIndex } from './open-index.js';
export {
  chunksByDocument,
  forgetOrigin,
  listOrigins,
  type Origin,
  type OtherDocument,
  otherDocuments,
  rereadEverything,
  type StoredChunk,
} from './origins.js';
export type { PostgresIndex } from './postgres-index.js';
export { packedStore } from './vectors/embeddings.js';
