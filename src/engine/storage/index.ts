// What operators do with the shared store. Imported directly because it loads nothing of PostgreSQL without a
// server: `storage-status.js`.
export { type CopyProgress, copyStorage } from './copy/copy-storage.js';
export { migrateStorage } from './migrate-storage.js';
export type * from './output-schemas.js';
export {
  requireReadable,
  type ServerStatus,
  serverFacts,
  storageOrigins,
  vectorCount,
} from './server-status.js';
