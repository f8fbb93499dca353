/* A memory in PostgreSQL. Loaded only if `storage.url` is set. */
export { openPostgresIndex, preparePostgresIndex, type SharedMemory } from './open-index.js';
export { PostgresIndex } from './postgres-index.js';
