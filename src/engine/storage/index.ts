// What operators do with the shared store. Commands, doctor and the overview use it.
export { migrateStorage } from './migrate-storage.js';
export type { StorageMigrateOutput, StorageStatusOutput } from './output-schemas.js';
export { requireReadable } from './rights.js';
export { serverFacts, vectorCount } from './server-facts.js';
export { storageStatus } from './storage-status.js';
