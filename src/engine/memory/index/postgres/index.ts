/* A memory in PostgreSQL. Loaded only if `storage.url` is set. */

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
export { openPostgresIndex, type PostgresIndex, preparePostgresIndex } from './postgres-index.js';
export { packedStore } from './vectors/embeddings.js';
