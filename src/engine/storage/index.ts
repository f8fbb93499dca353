// What operators do with the shared store. Imported directly because it loads nothing of PostgreSQL without a
// server: `storage-status.js`.
export { migrateStorage } from './migrate-storage.js';
export type { StorageMigrateOutput, StorageStatusOutput } from './output-schemas.js';
export { requireReadable } from './rights.js';
export { serverFacts, vectorCount } from './server-facts.js';
