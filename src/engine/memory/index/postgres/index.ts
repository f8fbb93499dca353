/* A memory in PostgreSQL. Loaded only if `storage.url` is set. */

export * from './origins.js';
export { openPostgresIndex, type PostgresIndex, preparePostgresIndex } from './postgres-index.js';
export { packedStore } from './vectors/embeddings.js';
